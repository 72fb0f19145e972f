#pragma once

// What the worker saw of one check. Written by execute/, carried by isolate/wire.hpp, judged by verdict/.

#include <cstdint>
#include <harness/case/case.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relapse {

/// Facts of one tensor (or of a scalar argument, when `dtype` is empty: then `text` is its value).
struct TensorFacts {
  std::string name;   ///< of the input or result, or the argument's name in the schema
  std::string dtype;  ///< `float32`
  std::vector<std::int64_t> shape, strides;
  std::int64_t offset = 0;  ///< elements
  std::string device;
  bool requires_grad = false;
  std::string min,
      max;  ///< of the elements that are no NaN; empty when it was not read (no elements, complex)
  std::optional<bool> finite;  ///< not read: nothing
  std::int64_t nans = 0;
  std::string text;  ///< of a scalar argument
};

/// Where in a tensor two sides differ and by how much, coarse enough to travel and to be drawn.
struct MismatchPicture {
  std::vector<std::int64_t> shape;   ///< of the tensor; folded to two dimensions: all but the last, the last
  int rows = 0, columns = 0;         ///< of the grid laid over it, each from 1 to kCells
  std::vector<std::int64_t> counts;  ///< differing elements in each cell, row-major
  int decade = 0;                    ///< of the first bin of `errors`: from 10^decade up to 10^(decade + 1)
  std::vector<std::int64_t> errors;  ///< differing elements by distance, a decade a bin; the first bin also
                                     ///< holds what is smaller
  std::int64_t unmeasured = 0;       ///< those whose distance is no finite number above 0: NaN, infinities
  static constexpr int kCells = 32, kBins = 32;
};

/// A clause that did not hold.
struct Breach {
  std::string clause;    ///< `target.max`, `loss.same_as`, `where.enough`, `agrees.repeat`, `guard`, `poison`
  SourcePos pos;         ///< of the clause in the case file
  std::string promised;  ///< `target.max: C - 1 = 2`
  std::string seen;      ///< `target[3] = 3`
  std::vector<std::string> details;
  std::optional<MismatchPicture> picture;  ///< of a comparison of more than one element
};

struct StepRecord {
  int index = 0;     ///< from 0
  std::string text;  ///< as written
  SourcePos pos;
  std::vector<TensorFacts> inputs;  ///< of the bound names that the step reads, before it runs
  std::string batch = {};           ///< whose step it is, of one that runs before the check in its process
                                    ///< (`after`); empty: the check's own
};

struct Raised {
  ErrorClass error = ErrorClass::runtime_error;
  std::string type;         ///< `c10::IndexError`
  std::string text;         ///< without the backtrace
  std::optional<int> code;  ///< of an accelerator's error
};

/// How the device answered when it was waited for after an error.
struct DeviceState {
  std::optional<int> code;  ///< of the error that waiting gave; nothing: it answered well
  std::string text;         ///< of that error
  bool sticky = false;      ///< the same error again at the next use: the process is lost to it
};

struct ResultDigest {
  TensorFacts facts;
  std::string hash;  ///< of shape, dtype and elements in row-major order
};

enum class ObservedKind : std::uint8_t {
  returned,     ///< the subject came to its end
  raised,       ///< an error, see `raised`
  rejected,     ///< a contract error from guard(), see `rejected_by`
  left_out,     ///< a probe that would also break another clause, or none: not run
  case_error,   ///< the case contradicts itself, see `reason`
  machine,      ///< the device or a library cannot be used, before the subject ran: see `reason`
  sticky_fault  ///< the device is lost; nothing more runs in this process
};
std::string_view to_string(ObservedKind kind);

struct Observation {
  std::string check;       ///< name
  std::string batch = {};  ///< not empty: this one was to run first in the same process and did not return;
                           ///< what follows is about it, and the check itself has not run
  ObservedKind kind = ObservedKind::returned;
  std::optional<Raised> raised;
  std::optional<DeviceState> device;    ///< after an error on another device than the CPU
  std::string rejected_by;              ///< clause, of a contract error
  std::optional<Breach> rejection;      ///< the same with position and first bad value
  int step = -1;                        ///< where it raised or rejected; -1: the end was reached
  std::vector<Breach> requires_broken;  ///< on the inputs, in file order
  std::vector<Breach> broken;           ///< ensures, agrees, unchanged, guard, poison, in file order
  int clauses_evaluated = 0;
  int guards_reached = 0;
  int guards_expected = 0;
  bool usable_after = true;  ///< the device computed a known answer after a rejection
  std::string reason;        ///< of left_out, case_error and machine
  SourcePos reason_pos;
  std::vector<TensorFacts> inputs;
  std::vector<ResultDigest> results;
  double seconds = 0;
};

}  // namespace relapse

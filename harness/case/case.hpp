#pragma once

// One incident as read from its file: everything, with positions, immutable after reading. Pure data; nothing
// here runs. The meaning of each member is the format reference's (docs/case-format.md); what is said here is
// how it is held.

#include <cstdint>
#include <harness/case/dtype.hpp>
#include <harness/case/expression.hpp>
#include <harness/support/diagnostic.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace relapse {

// ---- symbols
// -------------------------------------------------------------------------------------------------------

struct DimValue {
  std::string name;
  ExprPtr value;  ///< integer expression over dims above it
  SourcePos pos;
};
struct DTypeValue {
  std::string name;
  DType dtype = DType::float32;
  SourcePos pos;
};
/// A dtype as written in a clause or form: a dtype, or a symbol of `dtypes`.
struct DTypeRef {
  std::optional<DType> dtype;
  std::string symbol;  ///< when `dtype` is empty
  SourcePos pos;
};

// ---- inputs
// --------------------------------------------------------------------------------------------------------

/// One number of a nested list: as exact as it was written.
using Scalar =
    std::variant<std::int64_t, std::uint64_t, double, bool, ExprPtr>;  // uint64: above INT64_MAX only

/// A nested list of numbers, flattened in row-major order. `shape` is empty for a lone number.
struct Values {
  std::vector<std::int64_t> shape;
  std::vector<Scalar> flat;
  SourcePos pos;
};

enum class Fill : std::uint8_t { zeros, ones, arange, eye };

enum class RandomKind : std::uint8_t { normal, uniform, integers, bernoulli, permutation };
struct Random {
  RandomKind kind = RandomKind::normal;
  ExprPtr mean, std, low, high, p, seed;  ///< null where not given
  SourcePos pos;
};

/// One entry of `at`: an index (negative from the end) or a slice.
struct SetIndex {
  bool is_slice = false;
  std::int64_t index = 0;
  std::optional<std::int64_t> start, stop, step;
};
struct SetItem {
  std::vector<SetIndex> at;
  Scalar to;
  SourcePos pos;
};

/// Where an input's elements come from.
enum class InputSource : std::uint8_t {
  generated,  ///< from `requires` with the seed
  values,     ///< `values`
  bits,       ///< `values`, raw bit patterns
  full,       ///< `full`
  fill,       ///< `fill`
  random,     ///< `random`
  computed,   ///< `expr`, a tensor
  number,     ///< `expr`: a number, bool or None, not a tensor
  text,       ///< `text`
  file,       ///< `file`, `tensor`, `sha256`
  list,       ///< `list`: a Tensor[] argument
  storage,    ///< a view of another input's storage
  sparse      ///< `layout` with `indices` and `values`
};

/// One form of an input. Members that were not written are empty and come from `requires`.
struct InputForm {
  SourcePos pos;
  InputSource source = InputSource::generated;
  std::optional<DTypeRef> dtype;
  std::optional<std::vector<ExprPtr>> shape;
  Values values;
  std::optional<Scalar> full;
  Fill fill = Fill::zeros;
  Random random;
  ExprPtr expr;
  std::string text;
  std::string file, tensor, sha256;
  std::vector<InputForm> list;
  std::string storage;
  std::string layout;                                 ///< sparse_coo, sparse_csr; empty: strided
  std::shared_ptr<const InputForm> indices, content;  ///< of a sparse layout
  std::vector<SetItem> set;
  std::optional<std::vector<ExprPtr>> strides;
  ExprPtr offset;
  std::optional<MemoryFormat> memory_format;
  std::optional<std::vector<ExprPtr>> expand;
  std::optional<bool> requires_grad;
  std::string device;  ///< `cpu`, or empty: the device under test
};
struct NamedInput {
  std::string name;
  SourcePos pos;
  InputForm form;
};

// ---- contract
// ------------------------------------------------------------------------------------------------------

enum class ClauseKind : std::uint8_t {
  dtype,
  shape,
  rank,
  numel,
  finite,
  min,
  max,
  above,
  below,
  one_of,
  none_of,
  sorted,
  distinct,
  sums_to,
  equals,
  same_as,
  unchanged,
  contiguous,
  memory_format,
  strides,
  device,
  requires_grad
};
std::string_view to_string(ClauseKind kind);
const std::vector<std::string>& clause_names();

enum class CompareMode : std::uint8_t { automatic, exact, close, ulp };
struct Compare {
  CompareMode mode = CompareMode::automatic;
  std::optional<double> rtol, atol;
  std::int64_t ulp = 0;
  bool nan_same_places = false;
  bool signed_zero = false;
  std::optional<double> mismatch;  ///< fraction of elements that may differ, 0..1
  SourcePos pos;
};

/// One clause of one name. Which members count depends on `kind`.
struct Clause {
  ClauseKind kind = ClauseKind::dtype;
  SourcePos pos;                             ///< of the key
  SourcePos value_pos;                       ///< of the value
  std::string text;                          ///< the value as written, for messages (`C - 1`, `[N, C]`)
  std::vector<DTypeRef> dtypes;              ///< dtype: any of these
  std::vector<std::vector<ExprPtr>> shapes;  ///< shape: any of these
  std::vector<ExprPtr>
      values;  ///< rank, numel: any of these; min, max, above, below: one; one_of, none_of; strides
  ExprPtr at_least, at_most;                  ///< rank, numel: `{min, max}`
  std::vector<std::string> words;             ///< sorted: one order; memory_format, device: any of these
  bool flag = true;                           ///< finite, distinct, unchanged, contiguous, requires_grad
  std::vector<std::int64_t> dims;             ///< distinct within these; empty: in the whole
  ExprPtr sum, sum_dim;                       ///< sums_to; `sum_dim` null: over everything
  std::optional<double> rtol, atol;           ///< sums_to
  std::shared_ptr<const InputForm> expected;  ///< equals
  std::vector<Step> reference;                ///< same_as; the last is an expression
};

/// The clauses of one input or result, in file order.
struct NameContract {
  std::string name;  ///< also `x.grad` in ensures
  SourcePos pos;
  std::vector<Clause> clauses;
  std::vector<ExprPtr> except;  ///< values that range clauses allow besides
  SourcePos except_pos;
  bool nan_allowed = false;
  std::optional<Compare> compare;
};
struct Relation {
  std::string label;
  ExprPtr expr;
  SourcePos pos;
  std::string text;
};
/// One side of the contract. The order of clauses in the file is the order of their positions.
struct ContractSide {
  std::vector<NameContract> names;
  std::vector<Relation> where;
  const NameContract* find(std::string_view name) const;
};

enum class Twin : std::uint8_t { cpu, float64, contiguous, repeat, async };
std::string_view to_string(Twin twin);
struct Agreement {
  Twin twin = Twin::cpu;
  bool off = false;
  std::optional<Compare> compare;
  std::vector<std::string> except;
  SourcePos pos;
};
struct LogClause {
  std::vector<std::string> absent, present;
  SourcePos pos;
};
struct Contract {
  ContractSide requires_;
  ContractSide ensures;
  std::vector<Agreement> agrees;
  std::optional<LogClause> log;
};

// ---- subject
// -------------------------------------------------------------------------------------------------------

enum class SubjectKind : std::uint8_t { steps, python, command, script, package };
struct SubjectArg {
  std::string keyword;  ///< empty: positional
  InputForm form;       ///< what is handed over: a bare name is `number` with a name expression
};
struct PythonCall {
  std::vector<SubjectArg> args;
  std::vector<std::string> outputs;
};
struct Subject {
  SubjectKind kind = SubjectKind::steps;
  SourcePos pos;
  std::vector<Step> steps;
  std::string python;                          ///< `module:function`
  std::vector<std::string> command;            ///< argv with `{inputs}` and `{outputs}`
  std::string script;                          ///< TorchScript file
  std::string method;                          ///< of the script; default forward
  std::map<std::string, std::string> package;  ///< device -> file
  std::vector<SubjectArg> args, init;
  std::vector<PythonCall> calls;
  std::vector<std::string> outputs, path, rejects;
};

/// The code before the fix.
enum class UnfixedKind : std::uint8_t {
  automatic,  ///< steps without guard(); nothing for other subjects
  subject,    ///< a whole subject
  rebind,     ///< a map from names to expressions
  libraries,
  none  ///< there is none; `reason` says why
};
struct Rebinding {
  std::string name;
  ExprPtr expr;  ///< null: the step that makes the name is dropped
  SourcePos pos;
};
struct Unfixed {
  UnfixedKind kind = UnfixedKind::automatic;
  SourcePos pos;
  Subject subject;
  std::vector<Rebinding> rebind;
  std::vector<std::string> libraries;
  std::string reason;
};
struct Mutant {
  std::vector<Rebinding> rebind;
  std::string breaks;  ///< `loss.same_as`, `expect` or `guard`
  SourcePos pos;
};

// ---- outcomes
// ------------------------------------------------------------------------------------------------------

enum class ErrorClass : std::uint8_t {
  index_error,
  type_error,
  value_error,
  not_implemented,
  out_of_memory,
  linalg_error,
  contract_error,
  runtime_error,
  any
};
std::string_view to_string(ErrorClass error);
std::optional<ErrorClass> error_class_from(std::string_view name);

enum class FaultKind : std::uint8_t {
  device_assert,
  illegal_access,
  misaligned_address,
  launch_failure,
  illegal_instruction,
  launch_timeout,
  library_error,
  crash,
  hang
};
std::string_view to_string(FaultKind fault);
std::optional<FaultKind> fault_kind_from(std::string_view name);

/// A conjunction of comparisons such as `>=2.6,<3`; empty: every version.
struct VersionRange {
  struct Bound {
    std::string op;
    std::vector<int> version;
  };
  std::vector<Bound> bounds;
  std::string text;
  bool contains(std::string_view version) const;  ///< release numbers only: `2.15.0+cu132` is 2.15.0
};

enum class SymptomKind : std::uint8_t { raises, fault, wrong, unstable, accepted };
struct Symptom {
  SymptomKind kind = SymptomKind::raises;
  SourcePos pos;
  std::vector<ErrorClass> raises;
  FaultKind fault = FaultKind::crash;
  std::vector<std::string> signals;  ///< of a crash: SIGSEGV, ...; empty: any
  std::string wrong;                 ///< clause
  std::string unstable;              ///< result
  std::vector<std::string> match;    ///< one of these parts; empty: any text
  VersionRange torch;
};

enum class OutcomeKind : std::uint8_t { rejected, raises, returns };
struct Outcome {
  OutcomeKind kind = OutcomeKind::returns;
  SourcePos pos;
  std::string clause;  ///< rejected by this one; empty: by any
  std::vector<ErrorClass> classes;
  std::vector<std::string> match;
};
/// Any of the outcomes under the device's kind, else under "" (every device).
struct Expectation {
  std::map<std::string, std::vector<Outcome>> by_device;
  SourcePos pos;
  const std::vector<Outcome>& for_device(const std::string& kind) const;
};

// ---- the whole
// -----------------------------------------------------------------------------------------------------

struct Needs {
  SourcePos pos;
  std::vector<std::string> devices;
  std::optional<int> gpus;
  std::string compute_capability;  ///< `>=8.0`
  VersionRange torch, cuda;
  std::optional<std::uint64_t> memory, device_memory;  ///< bytes
  bool empty() const;
};
struct Limits {
  std::optional<double> timeout;  ///< seconds
  std::optional<std::uint64_t> memory, output;
};
struct RunOptions {
  std::vector<std::string> modes;
  bool isolate_each = false;
  std::optional<int> threads;
  bool deterministic = false;
  bool tf32 = false;
  bool cudnn = true;
  std::optional<std::uint64_t> seed;
  std::map<std::string, SourcePos> positions;  ///< of each key that was written
};

/// What one check runs on: overlays of dims, dtypes and inputs over the case's own.
struct Scenario {
  std::string name;  ///< `failing`, `corrected`, `batch-1`, ... or as given
  SourcePos pos;
  std::vector<DimValue> dims;
  std::vector<DTypeValue> dtypes;
  std::vector<NamedInput> inputs;
  std::optional<std::uint64_t> seed;
  ContractSide ensures;  ///< added to the contract's
  Needs needs;
};
struct Failing {
  Scenario scenario;
  std::map<std::string, std::vector<Symptom>> symptoms;  ///< by kind of device
  Expectation expect;
  std::vector<std::string> after;  ///< names of batches that run first in the same process
  SourcePos after_pos = {};
};
/// A batch as written; lists of values of dims and dtypes are multiplied out by the plan.
struct Batch {
  Scenario scenario;  ///< dims and dtypes with one value
  std::vector<std::pair<std::string, std::vector<DimValue>>> dim_lists;
  std::vector<std::pair<std::string, std::vector<DTypeValue>>> dtype_lists;
};
enum class BoundariesKind : std::uint8_t { automatic, off, names };

struct Incident {
  std::string source, date, cause, fix;
  std::vector<std::pair<std::string, std::string>> versions;
};

/// A finding of `relapse lint` or `relapse prove` that the case excuses (key `lint`).
struct Silence {
  std::string id;     ///< of a rule: `unused-input`, `mutant`
  std::string about;  ///< what of it: `mask`, `loss.off`; empty: everything that the rule finds
  std::string reason;
  SourcePos pos;
};

/// A construct that is read and checked but not executed by this version: `run` refuses it by name.
struct Unsupported {
  std::string what;  ///< "`after`"
  SourcePos pos;
};

struct Case {
  std::string id;    ///< path below the cases folder without `.yaml`
  std::string file;  ///< as given
  std::string title;
  SourcePos title_pos;
  Incident incident;
  SourcePos incident_pos;
  std::vector<std::string> labels;
  std::vector<std::string> libraries;
  std::vector<DimValue> dims;
  std::vector<DTypeValue> dtypes;
  std::vector<NamedInput> inputs;
  Subject subject;
  Unfixed unfixed;
  Contract contract;
  std::vector<Failing> failing;
  std::vector<Scenario> corrected;
  std::vector<Batch> batches;
  BoundariesKind boundaries = BoundariesKind::automatic;
  std::vector<std::string> boundary_names;
  std::vector<Mutant> mutants;
  std::string policy;
  std::vector<Silence> silences;
  Needs needs;
  Limits limits;
  RunOptions run;
  std::vector<Unsupported> unsupported;  ///< in file order; empty: everything can be executed
};

}  // namespace relapse

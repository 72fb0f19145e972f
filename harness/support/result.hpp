#pragma once

// Results of operations that may fail in expected ways. Bugs are assertions, not values of these types.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace relapse {

/// Whose problem an error is; decides the exit code (support/exit_code.hpp).
enum class ErrorKind {
  usage,           ///< wrong command line
  case_file,       ///< a broken or contradictory case file, or one that uses what cannot be executed yet
  infrastructure,  ///< the machine: no worker, no device, no disk
};

/// Where, what was expected, what was seen, what to do: `message` says all of it in full sentences.
struct Error {
  ErrorKind kind = ErrorKind::infrastructure;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::make_unexpected(Error{kind, std::move(message)});
}

}  // namespace relapse

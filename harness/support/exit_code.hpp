#pragma once

// The exit codes of every relapse command. The parent alone decides; a child's code is never passed through.

namespace relapse {

enum class ExitCode : int {
  held = 0,            ///< every check held
  failed = 1,          ///< a case failed
  usage = 2,           ///< wrong usage or a broken case file
  infrastructure = 3,  ///< a required device is missing or sick, the worker cannot start
  nothing_ran = 4,     ///< nothing was selected or nothing ran
  interrupted = 5,     ///< SIGINT or SIGTERM
  cannot_tell = 125,   ///< for `git bisect run`: neither good nor bad
  skipped = 77,        ///< everything selected was skipped (CTest's SKIP_RETURN_CODE)
};

}  // namespace relapse

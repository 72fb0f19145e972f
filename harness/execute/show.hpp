#pragma once

// Requests that run no check: schemas of an operator, what the library is, facts of a case's inputs.

#include <harness/case/case.hpp>
#include <harness/isolate/request.hpp>

namespace relapse {

/// Answers `schemas`, `probe` and `canary`. Returns the exit status of the child.
int answer(const Request& request, int protocol_fd);

/// Answers any of them with `why`: what it needs cannot be loaded.
int answer_trouble(const Request& request, const std::string& why, int protocol_fd);

/// Answers `facts`: per check the facts of its inputs, or why they cannot be made.
int answer_facts(const Request& request, const Case& kase, int protocol_fd);

}  // namespace relapse

#include "enclosing.hpp"

#include <ATen/record_function.h>

#include <memory>
#include <vector>

#include "environment.hpp"

namespace sim {

namespace {

struct Frame {
  const at::RecordFunction* call;
  std::uint64_t number;
};

thread_local std::vector<Frame> frames;
thread_local std::uint64_t calls = 0;

std::unique_ptr<at::ObserverContext> entered(const at::RecordFunction& call) {
  frames.push_back({&call, ++calls});
  return nullptr;
}

void left(const at::RecordFunction& call, at::ObserverContext* /*context*/) {
  while (!frames.empty()) {
    const bool found = frames.back().call == &call;
    frames.pop_back();
    if (found) return;
  }
}

}  // namespace

void follow_calls() {
  at::addGlobalCallback(at::RecordFunctionCallback(&entered, &left)
                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

std::uint64_t enclosing_call(std::string_view pattern) {
  for (const Frame& frame : frames) {
    const auto name = frame.call->operator_name();
    if (name && matches(pattern, name->name, name->overload_name)) return frame.number;
  }
  return 0;
}

}  // namespace sim

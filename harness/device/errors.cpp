#include <c10/util/Exception.h>
#include <cxxabi.h>

#include <cstdlib>
#include <harness/device/errors.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <typeinfo>

namespace relapse {

namespace {

std::string type_name(const std::exception& error) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : typeid(error).name();
}

/// With TORCH_SHOW_CPP_STACKTRACES, which `--escalate` sets, the stack is what is wanted.
bool wants_stack() {
  const char* set = std::getenv("TORCH_SHOW_CPP_STACKTRACES");
  return set && std::string_view(set) == "1";
}

/// LibTorch appends where in its source an error was made, then the stack.
std::string without_backtrace(std::string text) {
  const std::size_t end = wants_stack() ? std::string::npos : text.find("\nException raised from ");
  if (end != std::string::npos) text.resize(end);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Raised raised(ErrorClass error, const std::exception& exception, std::string text) {
  Raised result;
  result.error = error;
  result.type = type_name(exception);
  result.text = without_backtrace(std::move(text));
  return result;
}

Raised raised(ErrorClass error, const c10::Error& exception) {
  return raised(error, exception, wants_stack() ? exception.what() : exception.what_without_backtrace());
}

/// The CPU's allocator has no error type of its own (c10/core/impl/alloc_cpu.cpp).
bool is_host_memory(std::string_view text) {
  return text.find("DefaultCPUAllocator: can't allocate memory") != std::string_view::npos ||
         text.find("DefaultCPUAllocator: not enough memory") != std::string_view::npos;
}

}  // namespace

Raised classify(const std::exception_ptr& exception) {
  // From the narrow to the wide: every one of LibTorch's types is a c10::Error too.
  try {
    std::rethrow_exception(exception);
  } catch (const c10::AcceleratorError& error) {
    Raised result = raised(ErrorClass::runtime_error, error);
    result.code = error.get_error_code();
    return result;
  } catch (const c10::OutOfMemoryError& error) {
    return raised(ErrorClass::out_of_memory, error);
  } catch (const c10::IndexError& error) {
    return raised(ErrorClass::index_error, error);
  } catch (const c10::TypeError& error) {
    return raised(ErrorClass::type_error, error);
  } catch (const c10::ValueError& error) {
    return raised(ErrorClass::value_error, error);
  } catch (const c10::NotImplementedError& error) {
    // A missing kernel is followed by a list of every registration there is, after a blank line.
    std::string text = error.what_without_backtrace();
    text.resize(std::min(text.find("\n\n"), text.size()));
    return raised(ErrorClass::not_implemented, error, std::move(text));
  } catch (const c10::LinAlgError& error) {
    return raised(ErrorClass::linalg_error, error);
  } catch (const c10::Error& error) {
    const bool memory = is_host_memory(error.what_without_backtrace());
    return raised(memory ? ErrorClass::out_of_memory : ErrorClass::runtime_error, error);
  } catch (const std::bad_alloc& error) {
    return raised(ErrorClass::out_of_memory, error, error.what());
  } catch (const std::out_of_range& error) {
    return raised(ErrorClass::index_error, error, error.what());
  } catch (const std::invalid_argument& error) {
    return raised(ErrorClass::value_error, error, error.what());
  } catch (const std::exception& error) {
    return raised(is_host_memory(error.what()) ? ErrorClass::out_of_memory : ErrorClass::runtime_error, error,
                  error.what());
  } catch (...) {
    Raised result;
    result.type = "unknown";
    result.text = "an exception that is no std::exception";
    return result;
  }
}

std::string in_one_line(const Raised& raised) {
  std::string text = raised.text.substr(0, raised.text.find('\n'));
  if (raised.code) text += " (code " + std::to_string(*raised.code) + ")";
  return text;
}

}  // namespace relapse

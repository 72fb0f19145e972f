#pragma once

// What a process's CUDA context is to LibTorch: kernels fail on the device, the host learns of it later, and
// a context that failed stays failed. There are no threads: a kernel has run when its launch returns, only
// its failure is kept back until something waits for the device.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "environment.hpp"

namespace sim {

/// What the runtime prints on standard error for threads that failed an assertion.
using AssertLines = std::vector<std::string>;

class Context {
 public:
  static Context& of_process();

  /// Before every use of a device: reads the environment, once, at the first. Refuses a process that was
  /// forked from one that had used the device, a device that is not there, one that failed, and one that is
  /// sick.
  void enter(int device);

  /// How many devices there are; does not touch them. 0 where the environment is not well formed: that error
  /// is given by `enter`.
  static int device_count() noexcept;

  bool blocking() const { return environment_.blocking; }
  /// Of each device, in bytes.
  std::size_t memory() const { return environment_.memory; }

  /// Whether a kernel of this device has failed, seen by the host or not: what is launched behind it never
  /// runs.
  bool dead(int device) const;

  /// The faults that this launch plays, `name` being the operator that launches. Counts calls.
  std::vector<Fault> faults_of_launch(const std::string& name, const std::string& overload);

  /// A kernel failed on the device. The first failure counts.
  void fail(int device, int code, AssertLines lines);
  void hang_kernel(int device);
  void hang_synchronize(int device);
  void abort_later(int device);

  /// At the end of every launch: with CUDA_LAUNCH_BLOCKING it waits for the kernel.
  void launched(int device);

  /// For calls that wait for the device: copies to and from the host, `item`.
  void wait(int device);

  /// For calls that do nothing else.
  void synchronize(int device);

 private:
  struct Device {
    int pending = 0;
    AssertLines lines;
    int sticky = 0;
    bool aborts = false;
    bool kernel_hangs = false;
    bool synchronize_hangs = false;
  };

  struct Count {
    std::int64_t calls = 0;
    std::uint64_t last_frame = 0;
  };

  Device& device(int index) { return devices_.at(static_cast<std::size_t>(index)); }

  pid_t process_ = 0;
  Environment environment_;
  std::vector<Device> devices_;
  std::vector<Count> counts_;
};

}  // namespace sim

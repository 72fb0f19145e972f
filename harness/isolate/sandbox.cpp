#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <harness/isolate/sandbox.hpp>
#include <harness/isolate/unique_fd.hpp>
#include <string_view>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it

namespace relapse {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
// The x32 table has other numbers for the same calls.
constexpr std::uint32_t kOtherTable = 0x40000000;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kOtherTable = 0;
#else
#error "the sandbox knows x86_64 and aarch64"
#endif

/// Calls that reach beyond this process: refused with EPERM.
constexpr long kRefused[] = {
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kill,
    SYS_tkill,
    SYS_mount,
    SYS_umount2,
    SYS_unshare,
    SYS_setns,
    SYS_chroot,
    SYS_pivot_root,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_reboot,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_truncate,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_utimensat,
    SYS_openat2,
    SYS_io_uring_setup,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_unlink,
    SYS_rename,
    SYS_renameat,
    SYS_link,
    SYS_symlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_creat,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_accept,
#else
    SYS_renameat,
    SYS_accept,
#endif
};

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

class Filter {
 public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
  /// Answers `action` when the loaded word is `value`.
  void answer_if(std::uint32_t value, std::uint32_t action) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value});
    answer(action);
  }
  /// Skips `count` instructions unless the loaded word is `value`.
  void skip_unless(std::uint32_t value, std::uint8_t count) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, count, value});
  }
  /// Answers `action` when the loaded word has one of these bits, or none of them.
  void answer_if_any(std::uint32_t bits, std::uint32_t action) {
    code_.push_back({BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits});
    answer(action);
  }
  void answer_if_none(std::uint32_t bits, std::uint32_t action) {
    code_.push_back({BPF_JMP | BPF_JSET | BPF_K, 1, 0, bits});
    answer(action);
  }
  std::vector<sock_filter>& code() { return code_; }

 private:
  void add(std::uint16_t code, std::uint32_t operand) { code_.push_back({code, 0, 0, operand}); }
  std::vector<sock_filter> code_;
};

constexpr std::size_t argument(int index) {
  return offsetof(seccomp_data, args) +
         static_cast<std::size_t>(index) * sizeof(std::uint64_t);  // the low word
}

Result<void> filter_calls() {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.skip_unless(kArchitecture, 1);
  filter.code().push_back({BPF_JMP | BPF_JA, 0, 0, 1});
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  filter.load(offsetof(seccomp_data, nr));
  if (kOtherTable != 0) {
    filter.code().push_back({BPF_JMP | BPF_JGE | BPF_K, 0, 1, kOtherTable});
    filter.answer(SECCOMP_RET_KILL_PROCESS);
  }
  for (const long call : kRefused) filter.answer_if(static_cast<std::uint32_t>(call), kRefuse);
  // Its flags lie in memory, where a filter cannot look; libraries then use clone.
  filter.answer_if(static_cast<std::uint32_t>(SYS_clone3), SECCOMP_RET_ERRNO | ENOSYS);
  // A thread, but no process.
  filter.skip_unless(SYS_clone, 4);
  filter.load(argument(0));
  filter.answer_if_none(CLONE_THREAD, kRefuse);
  filter.answer(kAllow);
  // Reading is left to Landlock and to the rights of the user.
  constexpr std::uint32_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  filter.skip_unless(SYS_openat, 4);
  filter.load(argument(2));
  filter.answer_if_any(kWrites, SECCOMP_RET_ERRNO | EACCES);
  filter.answer(kAllow);
#if defined(__x86_64__)
  filter.skip_unless(SYS_open, 4);
  filter.load(argument(1));
  filter.answer_if_any(kWrites, SECCOMP_RET_ERRNO | EACCES);
  filter.answer(kAllow);
#endif
  // raise() and abort() signal this process only.
  filter.answer(kAllow);
  const sock_fprog program{static_cast<unsigned short>(filter.code().size()), filter.code().data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return fail(ErrorKind::infrastructure,
                fmt::format("this kernel refuses a seccomp filter: {}", std::strerror(errno)));
  return {};
}

bool allow_reading(int rules, const std::string& path, std::uint64_t access) {
  const UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) return false;
  landlock_path_beneath_attr beneath{};
  beneath.allowed_access = access;
  beneath.parent_fd = place.get();
  return ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
}

/// Every access to the file system but reading below `folder`. The version of Landlock; 0: the kernel has
/// none.
int close_file_system(const std::string& folder) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return 0;
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // all of the first version
  const UniqueFd rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0)));
  if (!rules ||
      !allow_reading(rules.get(), folder, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR))
    return 0;
  // LibTorch seeds its generators and its threads ask for the processor when they are first used.
  for (const char* file : {"/dev/urandom", "/proc/cpuinfo"})
    allow_reading(rules.get(), file, LANDLOCK_ACCESS_FS_READ_FILE);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0)
    return 0;
  return static_cast<int>(version);
}

bool is_needed(std::string_view variable) {
  for (const std::string_view prefix :
       {"CUDA_", "NVIDIA_", "AMD_", "HIP_", "OMP_", "MKL_", "KMP_", "TORCH_", "PYTORCH_", "ATEN_", "CUBLAS_",
        "RELAPSE_", "LD_", "LC_", "LANG=", "PATH=", "TZ=", "ASAN_", "UBSAN_"}) {
    if (variable.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

}  // namespace

Result<std::string> enter_sandbox(const std::string& folder, unsigned cpu_seconds) {
  const rlimit time{cpu_seconds, cpu_seconds + 1}, none{0, 0};
  if (::setrlimit(RLIMIT_CPU, &time) != 0 || ::setrlimit(RLIMIT_FSIZE, &none) != 0)
    return fail(ErrorKind::infrastructure,
                fmt::format("the limits of a sandbox cannot be set: {}", std::strerror(errno)));
  const int landlock = close_file_system(folder);
  if (Result<void> filtered = filter_calls(); !filtered) return tl::make_unexpected(filtered.error());
  return landlock > 0 ? fmt::format("seccomp, landlock {}", landlock) : std::string("seccomp");
}

void clear_environment() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!is_needed(text)) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

}  // namespace relapse

#pragma once

// Where a server listens, and who may: a folder that nobody else can enter.

#include <sys/un.h>

#include <harness/isolate/unique_fd.hpp>
#include <harness/support/result.hpp>
#include <optional>
#include <string>

namespace relapse {

/// Makes the folder of `socket` for this user alone, or says why it is not to be trusted.
Result<void> prepare_server_folder(const std::string& socket);

/// A listening socket at `path`, in place of a stale one.
Result<UniqueFd> listen_at(const std::string& path);

/// The file that the running server holds locked. Never removed: a lock on a removed file would lock nothing.
std::string server_lock_file(const std::string& socket);

}  // namespace relapse

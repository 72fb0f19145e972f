#include <fmt/format.h>

#include <harness/report/progress.hpp>
#include <harness/support/text.hpp>

namespace relapse {

void Progress::update(const RunRecord& run, const CheckRecord& check) {
  if (!style_.terminal) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(66)) return;
  last_ = now;
  int judged = 0, red = 0;
  for (const CheckRecord& one : run.checks) {
    judged += one.judged ? 1 : 0;
    red += is_red(one.verdict.kind) ? 1 : 0;
  }
  const std::string total = std::to_string(run.checks.size());
  std::string line = fmt::format("[{:>{}}/{}] {} ▸ {}#{}", judged, total.size(), total, check.device,
                                 check.kase, check.name);
  const std::string tail = red > 0 ? fmt::format("   {} red", red) : "";
  // One line only: a wrapped one could not be taken back.
  while (count_code_points(line) + count_code_points(tail) >= style_.width && !line.empty()) {
    line.pop_back();
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80) line.pop_back();
  }
  std::fprintf(out_, "\r\033[2K%s%s", line.c_str(), style_.red(tail).c_str());
  std::fflush(out_);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[2K", out_);
  std::fflush(out_);
  shown_ = false;
}

}  // namespace relapse

#include <fmt/format.h>

#include <harness/schedule/attempt_request.hpp>
#include <harness/schedule/device_board.hpp>

namespace relapse {

DeviceBoard::DeviceBoard(const std::vector<DeviceKind>& kinds, Isolator& isolator, const EventSink& sink)
    : isolator_(isolator), sink_(sink) {
  for (const DeviceKind& kind : kinds) pools_.emplace(kind.kind, DevicePool(kind));
}

std::optional<std::vector<std::size_t>> DeviceBoard::take(const std::string& kind,
                                                          const DeviceDemand& demand) {
  return pools_.at(kind).take(demand);
}

void DeviceBoard::give_back(const std::string& kind, const std::vector<std::size_t>& slots,
                            const DeviceDemand& demand) {
  pools_.at(kind).give_back(slots, demand);
}

std::string DeviceBoard::why_never(const std::string& kind, const DeviceDemand& demand) const {
  if (demand.devices <= pools_.at(kind).usable()) return {};
  const auto sick = sick_.find(kind);
  return sick == sick_.end() ? "fewer devices are here than it needs" : sick->second;
}

std::string DeviceBoard::slot_name(const std::string& kind, std::size_t slot) const {
  return pools_.at(kind).slot(slot).name;
}

void DeviceBoard::equip(Request& request, const std::string& kind,
                        const std::vector<std::size_t>& slots) const {
  const DevicePool& pool = pools_.at(kind);
  request.libraries = pool.kind().libraries;
  std::vector<std::string> visible;
  for (const std::size_t slot : slots) {
    if (const std::string& name = pool.slot(slot).visible; !name.empty()) visible.push_back(name);
  }
  request.environment = device_environment(request.mode, visible);
}

std::vector<CanaryVerdict> DeviceBoard::start_canaries(const std::string& kind, bool something_waits) {
  DevicePool& pool = pools_.at(kind);
  std::vector<CanaryVerdict> failed;
  while (const std::optional<std::size_t> slot = pool.needs_canary()) {
    if (!something_waits && suspects_.count({kind, *slot}) == 0) break;
    pool.set_health(*slot, Health::checking);
    sink_({{"event", "canary_started"}, {"device", pool.slot(*slot).name}});
    const Result<AttemptId> id =
        isolator_.start(canary_request(pool.kind(), pool.slot(*slot), random_nonce()), canary_limits());
    if (id) {
      canaries_.emplace(*id, Canary{kind, *slot, {}});
    } else {
      failed.push_back(settle(kind, *slot, id.error().message));
    }
  }
  return failed;
}

void DeviceBoard::take(const AttemptLine& line) {
  canaries_.at(line.attempt).answer.take(line.message);
}

CanaryVerdict DeviceBoard::end(const AttemptEnded& ended) {
  const auto found = canaries_.find(ended.attempt);
  const Canary canary = std::move(found->second);
  canaries_.erase(found);
  // A canary that a stopped run ended has said nothing.
  if (ended.ending.cause == EndCause::interrupted) return {canary.kind, {}, {}};
  return settle(canary.kind, canary.slot, canary.answer.why_sick(ended.ending));
}

void DeviceBoard::stop() {
  for (const auto& [id, canary] : canaries_) isolator_.stop(id, EndCause::interrupted);
}

CanaryVerdict DeviceBoard::settle(const std::string& kind, std::size_t slot, const std::string& why) {
  DevicePool& pool = pools_.at(kind);
  const std::string& name = pool.slot(slot).name;
  nlohmann::json event{{"event", "canary"}, {"device", name}, {"kind", kind}, {"well", why.empty()}};
  if (!why.empty()) event["why"] = why;
  sink_(event);
  pool.set_health(slot, why.empty() ? Health::well : Health::sick);
  CanaryVerdict verdict{kind, {}, {}};
  if (const auto suspects = suspects_.find({kind, slot}); suspects != suspects_.end()) {
    verdict.suspects = std::move(suspects->second);
    suspects_.erase(suspects);
  }
  if (why.empty()) return verdict;
  verdict.sick = fmt::format("the canary failed on {}: {}", name, why);
  sick_.emplace(kind, verdict.sick);
  return verdict;
}

void DeviceBoard::doubt(const std::string& kind, const std::vector<std::size_t>& slots,
                        const std::optional<Suspect>& suspect) {
  DevicePool& pool = pools_.at(kind);
  for (const std::size_t slot : slots) {
    if (pool.health(slot) == Health::sick) continue;
    pool.set_health(slot, Health::unknown);
    if (suspect) suspects_[{kind, slot}].push_back(*suspect);
  }
}

std::vector<CanaryVerdict> DeviceBoard::give_up(const std::string& kind,
                                                const std::vector<std::size_t>& slots) {
  std::vector<CanaryVerdict> verdicts;
  for (const std::size_t slot : slots) {
    if (pools_.at(kind).health(slot) != Health::sick)
      verdicts.push_back(settle(kind, slot, "a process on it could not be killed"));
  }
  return verdicts;
}

}  // namespace relapse

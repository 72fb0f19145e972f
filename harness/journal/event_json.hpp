#pragma once

// Verdicts and endings as members of journal events, and back.

#include <harness/isolate/ending.hpp>
#include <harness/verdict/verdict.hpp>
#include <nlohmann/json.hpp>

namespace relapse {

nlohmann::json to_json(const Verdict& verdict);
nlohmann::json to_json(const Ending& ending);
Verdict verdict_from(const nlohmann::json& json);
Ending ending_from(const nlohmann::json& json);

}  // namespace relapse

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <harness/case/schema.hpp>
#include <harness/support/file.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace relapse {
namespace {

using Json = nlohmann::json;

std::string schema_file() {
  return std::string(RELAPSE_DOCS) + "/case.schema.json";
}

void collect_references(const Json& json, std::set<std::string>& references) {
  if (json.is_object() && json.contains("$ref")) references.insert(json["$ref"].get<std::string>());
  for (const Json& part : json) {
    if (part.is_structured()) collect_references(part, references);
  }
}

// The file is written anew with RELAPSE_APPROVE=1 in the environment.
TEST(CaseSchema, IsTheOneThatTheReadersTablesMake) {
  if (std::getenv("RELAPSE_APPROVE") != nullptr) {
    ASSERT_TRUE(write_file_atomically(schema_file(), json_schema()));
  }
  const Result<std::string> file = read_file(schema_file());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(*file, json_schema());
}

TEST(CaseSchema, HasEveryKeyOfTheReaderAndNoOther) {
  const Json schema = Json::parse(read_file(schema_file()).value());
  for (const Level& level : format_levels()) {
    const Json& properties = schema["$defs"][std::string(level.name)]["properties"];
    std::set<std::string> known, in_schema;
    for (const KeyRow& row : level.rows) known.emplace(row.key);
    for (const auto& [key, value] : properties.items()) in_schema.insert(key);
    EXPECT_EQ(known, in_schema) << level.name;
  }
}

TEST(CaseSchema, RefersOnlyToWhatItDefines) {
  const Json schema = Json::parse(json_schema());
  std::set<std::string> references;
  collect_references(schema, references);
  for (const std::string& reference : references) {
    EXPECT_TRUE(schema.contains(Json::json_pointer(reference.substr(1)))) << reference;
  }
  for (const auto& [name, definition] : schema["$defs"].items()) {
    EXPECT_TRUE(references.count("#/$defs/" + name) > 0) << name << " is never used";
  }
}

}  // namespace
}  // namespace relapse

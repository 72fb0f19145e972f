#include <fmt/format.h>

#include <filesystem>
#include <harness/support/file.hpp>
#include <harness/support/text.hpp>
#include <runners/relapse/data_only.hpp>

namespace relapse {
namespace {

namespace fs = std::filesystem;

class Refusals {
 public:
  explicit Refusals(const LoadedCase& loaded)
      : file_(loaded.path), lines_(split(read_file(loaded.path).value_or(std::string()), '\n')) {}

  void add(SourcePos pos, const std::string& what) {
    Diagnostic diagnostic;
    diagnostic.file = file_;
    diagnostic.pos = pos;
    diagnostic.message = what + " is refused by --data-only";
    const auto line = static_cast<std::size_t>(pos.line);
    if (line >= 1 && line <= lines_.size()) diagnostic.source_line = lines_[line - 1];
    messages.push_back(format(diagnostic));
  }

  /// A file must lie below the folder of the case, whatever links it goes through.
  void check_file(const InputForm& form) {
    if (!form.file.empty()) {
      std::error_code error;
      const fs::path folder =
          fs::canonical(fs::path(file_).parent_path().empty() ? "." : fs::path(file_).parent_path(), error);
      const fs::path target = fs::weakly_canonical(folder / form.file, error);
      const std::string below = folder.string() + "/";
      if (error || target.string().compare(0, below.size(), below) != 0)
        add(form.pos,
            fmt::format("the file {} outside of the case's folder", relapse::quoted(form.file, 80)));
    }
    for (const InputForm& one : form.list) check_file(one);
    if (form.indices) check_file(*form.indices);
    if (form.content) check_file(*form.content);
  }

  void check_inputs(const std::vector<NamedInput>& inputs) {
    for (const NamedInput& input : inputs) check_file(input.form);
  }

  void check_side(const ContractSide& side) {
    for (const NameContract& contract : side.names) {
      for (const Clause& clause : contract.clauses) {
        if (clause.expected) check_file(*clause.expected);
      }
    }
  }

  void check_scenario(const Scenario& scenario) {
    check_inputs(scenario.inputs);
    check_side(scenario.ensures);
  }

  std::vector<std::string> messages;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> data_only_refusals(const LoadedCase& loaded) {
  Refusals refusals(loaded);
  const Case& kase = *loaded.kase;
  if (!kase.libraries.empty()) refusals.add({}, "`libraries`");
  if (kase.unfixed.kind == UnfixedKind::libraries)
    refusals.add(kase.unfixed.pos, "`unfixed: {libraries: ...}`");
  if (kase.subject.kind != SubjectKind::steps) refusals.add(kase.subject.pos, "a subject that is code");
  refusals.check_inputs(kase.inputs);
  refusals.check_side(kase.contract.requires_);
  refusals.check_side(kase.contract.ensures);
  for (const Failing& failing : kase.failing) refusals.check_scenario(failing.scenario);
  for (const Scenario& corrected : kase.corrected) refusals.check_scenario(corrected);
  for (const Batch& batch : kase.batches) refusals.check_scenario(batch.scenario);
  return refusals.messages;
}

}  // namespace relapse

#include <harness/case/check_case.hpp>

namespace relapse {

void check_case(ReadContext&, const YamlNode&, Case&) {}

}  // namespace relapse

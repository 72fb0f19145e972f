# Makes a source file of string literals from the parts of the page: cmake -DOUTPUT=... -DFOLDER=... -P embed.cmake
# A literal may be cut anywhere; compilers are only asked to take 64 KiB at once.
set(_text "// Made by harness/report/page/embed.cmake; edits are lost.\n#include <harness/report/html.hpp>\n\nnamespace relapse {\n\n")
foreach(_part Html:page.html Css:page.css Js:page.js)
  string(REPLACE ":" ";" _pair "${_part}")
  list(GET _pair 0 _name)
  list(GET _pair 1 _file)
  file(READ "${FOLDER}/${_file}" _hex HEX)
  string(LENGTH "${_hex}" _size)
  math(EXPR _size "${_size} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," _bytes "${_hex}")
  string(REGEX REPLACE "(([^,]*,){24})" "\\1\n    " _bytes "${_bytes}")
  string(APPEND _text "static constexpr char k${_name}Bytes[] = {\n    ${_bytes}};\n"
                      "const std::string_view kPage${_name}(k${_name}Bytes, ${_size});\n\n")
endforeach()
string(APPEND _text "}  // namespace relapse\n")
file(WRITE "${OUTPUT}" "${_text}")

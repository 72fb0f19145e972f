#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <harness/report/style.hpp>

namespace relapse {

std::string Style::paint(std::string_view code, std::string_view text) const {
  if (!colour) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

Style style_of(int fd, ColourChoice choice) {
  Style style;
  const char* term = std::getenv("TERM");
  const bool dumb = term && std::strcmp(term, "dumb") == 0;
  style.terminal = isatty(fd) == 1 && !dumb;
  // https://no-color.org: set and not empty means no colour, unless the user asked for it by option.
  const char* no_colour = std::getenv("NO_COLOR");
  const bool refused = no_colour && *no_colour;
  style.colour =
      choice == ColourChoice::always || (choice == ColourChoice::automatic && style.terminal && !refused);
  winsize size{};
  if (style.terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

}  // namespace relapse

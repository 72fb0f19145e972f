#pragma once

// Colour and width of the terminal, and nothing else of it.

#include <string>
#include <string_view>

namespace relapse {

enum class ColourChoice { automatic, always, never };

struct Style {
  bool colour = false;
  bool terminal = false;  ///< an updating line makes sense
  int width = 100;        ///< columns

  std::string red(std::string_view text) const { return paint("31", text); }
  std::string green(std::string_view text) const { return paint("32", text); }
  std::string yellow(std::string_view text) const { return paint("33", text); }
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;
};

/// Of a descriptor: a terminal unless TERM=dumb; colour as chosen, by default on terminals without NO_COLOR.
Style style_of(int fd, ColourChoice choice);

}  // namespace relapse

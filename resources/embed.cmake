# Writes OUT, a header with the text of each .varlink file as a constant: the supervisor's own root holds no data files.
# Usage: cmake -DOUT=… -DFOLDER=… -P embed.cmake
file(GLOB files "${FOLDER}/*.varlink")
set(text "// Made from resources/interfaces by the build.\n#pragma once\n\nnamespace belljar::interfaces {\n")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WLE)
  string(REPLACE "." "_" identifier "${name}")
  file(READ "${file}" content)
  string(APPEND text "inline constexpr const char* ${identifier} = R\"varlink(${content})varlink\";\n")
endforeach()
string(APPEND text "}\n")
file(WRITE "${OUT}" "${text}")

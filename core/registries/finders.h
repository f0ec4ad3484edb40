// One finder for each tool; each in the file of its name. meaning.cpp says which word is whose.
#pragma once

#include "core/policy/registry_words.h"
#include "core/registries/user_files.h"

namespace belljar {

// Collects the hosts of one word. A finder that learns nothing leaves `hosts` empty.
class Finding {
public:
    Finding(std::string word, const UserFiles& from) : files(from) { meaning.word = std::move(word); }

    RegistryMeaning meaning;
    const UserFiles& files;

    // Takes the host of a URL in; returns the URL without credentials. `where` is for people: "~/.npmrc".
    Result<std::string> add(std::string_view url, const std::string& where, bool bare = false);
    void tell(std::string name, const std::string& value); // a variable for the tool inside
};

Status find_npm(Finding& finding);
Status find_pip(Finding& finding);
Status find_cargo(Finding& finding);
Status find_go(Finding& finding);
Status find_maven(Finding& finding);

} // namespace belljar

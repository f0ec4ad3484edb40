#include "core/registries/xml_text.h"

#include "core/registries/settings_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace belljar {
namespace {

constexpr std::size_t kDeepest = 64;

class XmlReader {
public:
    explicit XmlReader(std::string_view text) : all_(text), rest_(text) {}

    Result<std::vector<XmlText>> run() {
        if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
        while (!rest_.empty()) {
            const std::size_t tag = std::min(rest_.find('<'), rest_.size());
            if (!take_text(rest_.substr(0, tag))) return bad();
            rest_.remove_prefix(tag);
            if (rest_.empty()) break;
            if (!take_markup()) return bad();
        }
        if (!open_.empty()) why_ = fmt::format("<{}> is not closed", open_.back().name);
        if (open_.empty() && !seen_root_) why_ = "no element";
        if (!why_.empty()) return bad();
        return std::move(found_);
    }

private:
    struct Element {
        std::string name, text;
        bool parent = false;
        unsigned number = 0;
    };

    tl::unexpected<Error> bad() const {
        const auto line = 1 + std::count(all_.begin(), all_.end() - static_cast<std::ptrdiff_t>(rest_.size()), '\n');
        return failure(fmt::format("line {}", line), why_.empty() ? "not well-formed XML" : visible(why_));
    }
    bool refuse(std::string why) {
        why_ = std::move(why);
        return false;
    }

    bool take_text(std::string_view text) {
        if (open_.empty()) return trimmed(text).empty() || refuse("text outside of the root element");
        while (!text.empty()) {
            const std::size_t amp = std::min(text.find('&'), text.size());
            open_.back().text += text.substr(0, amp);
            text.remove_prefix(amp);
            if (text.empty()) break;
            const std::size_t end = text.find(';');
            if (end == std::string_view::npos || !take_entity(text.substr(1, end - 1))) return refuse("an entity that is not known");
            text.remove_prefix(end + 1);
        }
        return true;
    }

    bool take_entity(std::string_view name) {
        for (const auto& [known, value] : {std::pair{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}})
            if (name == known) return open_.back().text += value, true;
        if (!name.starts_with('#')) return false;
        name.remove_prefix(1);
        const int base = name.starts_with('x') ? 16 : 10;
        if (base == 16) name.remove_prefix(1);
        unsigned value = 0; // ASCII is enough for a URL; whatever else is no host
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value, base);
        if (name.empty() || error != std::errc() || end != name.data() + name.size() || value == 0) return false;
        open_.back().text += value < 0x80 ? static_cast<char>(value) : '?';
        return true;
    }

    // Past `end`, which must be there.
    bool skip(std::string_view end, std::string_view* inside = nullptr) {
        const std::size_t at = rest_.find(end);
        if (at == std::string_view::npos) return refuse(fmt::format("'{}' is missing", end));
        if (inside) *inside = rest_.substr(0, at);
        rest_.remove_prefix(at + end.size());
        return true;
    }

    bool take_markup() {
        std::string_view inside;
        if (rest_.starts_with("<!--")) return skip("-->");
        if (rest_.starts_with("<?")) return skip("?>");
        if (rest_.starts_with("<![CDATA[")) {
            if (open_.empty()) return refuse("text outside of the root element");
            rest_.remove_prefix(9);
            if (!skip("]]>", &inside)) return false;
            open_.back().text += inside;
            return true;
        }
        if (rest_.starts_with("<!")) return refuse("a DOCTYPE is not read");
        if (rest_.starts_with("</")) {
            rest_.remove_prefix(2);
            return skip(">", &inside) && close(trimmed(inside));
        }
        return take_start();
    }

    bool take_start() {
        std::size_t end = 1;
        for (char quote = 0; end < rest_.size() && (quote != 0 || rest_[end] != '>'); ++end)
            if (quote != 0 ? rest_[end] == quote : rest_[end] == '"' || rest_[end] == '\'') quote = quote != 0 ? char(0) : rest_[end];
        if (end == rest_.size()) return refuse("a tag without its end");
        std::string_view tag = rest_.substr(1, end - 1);
        const bool empty = tag.ends_with('/');
        if (empty) tag.remove_suffix(1);
        const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n"));
        if (name.empty() || name.find('<') != std::string_view::npos) return refuse("a tag without a name");
        if (open_.empty() && seen_root_) return refuse("a second root element");
        if (open_.size() >= kDeepest) return refuse("nested too deeply");
        seen_root_ = true;
        if (!open_.empty()) open_.back().parent = true;
        open_.push_back({std::string(name), {}, false, ++count_});
        rest_.remove_prefix(end + 1);
        return !empty || close(name);
    }

    bool close(std::string_view name) {
        if (open_.empty() || open_.back().name != name) return refuse(fmt::format("</{}> closes nothing", name));
        const Element element = std::move(open_.back());
        open_.pop_back();
        if (element.parent) return true;
        std::string path;
        for (const Element& outer : open_)
            path += local(outer.name) + "/";
        found_.push_back({path + local(element.name), std::string(trimmed(element.text)),
                          open_.empty() ? 0 : open_.back().number});
        return true;
    }

    static std::string local(const std::string& name) {
        const std::size_t colon = name.find(':');
        return colon == std::string::npos ? name : name.substr(colon + 1);
    }

    std::string_view all_, rest_;
    std::vector<Element> open_;
    std::vector<XmlText> found_;
    std::string why_;
    bool seen_root_ = false;
    unsigned count_ = 0;
};

} // namespace

Result<std::vector<XmlText>> read_xml(std::string_view text) {
    return XmlReader(text).run();
}

} // namespace belljar

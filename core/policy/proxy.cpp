#include "core/policy/proxy.h"

#include "core/egress/host_pattern.h"
#include "core/egress/no_proxy.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sodium/utils.h>
#include <string_view>
#include <sys/stat.h>

namespace belljar {
namespace {

constexpr std::string_view kAuthorityVariables[] = {
    "SSL_CERT_FILE",    "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
    "GIT_SSL_CAINFO",   "PIP_CERT",            "AWS_CA_BUNDLE",  "CARGO_HTTP_CAINFO",
    "NIX_SSL_CERT_FILE", "npm_config_cafile",  "DENO_CERT",      "CODEX_CA_CERTIFICATE"};

std::string_view value_of(const std::vector<std::string>& environment, std::string_view name) {
    for (const std::string& entry : environment)
        if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
            return std::string_view(entry).substr(name.size() + 1);
    return {};
}

// RFC 3986 §2.1; a '%' that begins no such triple stands for itself, as curl(1) takes it.
std::string percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string basic(std::string_view user_and_password) {
    const std::size_t colon = user_and_password.find(':');
    std::string plain = percent_decoded(user_and_password.substr(0, colon)) + ":";
    if (colon != user_and_password.npos) plain += percent_decoded(user_and_password.substr(colon + 1));
    std::string encoded(sodium_base64_ENCODED_LEN(plain.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    ::sodium_bin2base64(encoded.data(), encoded.size(), reinterpret_cast<const unsigned char*>(plain.data()),
                        plain.size(), sodium_base64_VARIANT_ORIGINAL);
    encoded.resize(encoded.find('\0'));
    return "Basic " + encoded;
}

Result<ProxySpec> parse(std::string_view name, std::string_view url) {
    // Never the URL itself in a sentence: it may carry a password.
    const auto refuse = [&](std::string why) {
        return failure(fmt::format("the environment's {}", name), std::move(why),
                       "set it to http://HOST:PORT, or unset it to reach hosts without a proxy");
    };
    ProxySpec proxy;
    if (const std::size_t scheme = url.find("://"); scheme != url.npos) {
        const std::string_view what = url.substr(0, scheme);
        if (what != "http")
            return refuse(fmt::format("a proxy of the kind '{}' is not supported, only 'http'", visible(what.substr(0, 16))));
        url.remove_prefix(scheme + 3);
    }
    url = url.substr(0, url.find_first_of("/?#"));
    if (const std::size_t at = url.rfind('@'); at != url.npos) {
        proxy.authorization = basic(url.substr(0, at));
        url.remove_prefix(at + 1);
    }
    std::string_view host = url, port;
    if (host.starts_with('[')) {
        const std::size_t close = host.find(']');
        if (close == host.npos) return refuse("an address without its closing bracket");
        port = host.substr(close + 1);
        host = host.substr(1, close - 1);
        if (!IpAddress::parse(host)) return refuse("not an IPv6 address in brackets");
    } else if (const std::size_t colon = host.rfind(':'); colon != host.npos) {
        port = host.substr(colon);
        host = host.substr(0, colon);
    }
    if (!port.empty()) {
        const char* const end = port.data() + port.size();
        if (port[0] != ':') return refuse("not a port");
        const auto [read, error] = std::from_chars(port.data() + 1, end, proxy.port);
        if (error != std::errc() || read != end || proxy.port == 0) return refuse("not a port");
    }
    if (IpAddress::parse(host)) {
        proxy.host = host;
        return proxy;
    }
    auto normalised = normalise_host_name(host);
    if (!normalised) return refuse("not a host: " + normalised.error().why);
    proxy.host = std::move(*normalised);
    return proxy;
}

} // namespace

Result<std::optional<ProxySpec>> proxy_from_environment(const std::vector<std::string>& environment) {
    for (const std::string_view name : {"https_proxy", "HTTPS_PROXY"}) { // in curl's order
        const std::string_view url = value_of(environment, name);
        if (url.empty()) continue;
        auto proxy = parse(name, url);
        if (!proxy) return tl::unexpected(proxy.error());
        std::string_view direct = value_of(environment, "no_proxy");
        if (direct.empty()) direct = value_of(environment, "NO_PROXY");
        proxy->direct = no_proxy_entries(direct);
        return std::optional(std::move(*proxy));
    }
    return std::optional<ProxySpec>();
}

std::vector<AuthorityVariable> authority_variables(const std::vector<std::string>& environment) {
    std::vector<AuthorityVariable> found;
    for (const std::string_view name : kAuthorityVariables) {
        const std::string path(value_of(environment, name));
        struct stat st {};
        if (path.starts_with('/') && ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode))
            found.push_back({std::string(name), path});
    }
    return found;
}

} // namespace belljar

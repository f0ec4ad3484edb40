// The interface that every Varlink service has (varlink.org: Service), in our words.
#pragma once

namespace belljar::varlink {

inline constexpr const char* kServiceInterface = R"varlink(# What this service is, and which interfaces it has.
interface org.varlink.service

method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)
# The text of one interface.
method GetInterfaceDescription(interface: string) -> (description: string)

error InterfaceNotFound (interface: string)
error MethodNotFound (method: string)
error MethodNotImplemented (method: string)
error InvalidParameter (parameter: string)
error PermissionDenied ()
# The method answers more than once and was called without "more".
error ExpectedMore ()
)varlink";

} // namespace belljar::varlink

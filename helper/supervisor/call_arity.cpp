// The digits are counted from the prototypes in include/linux/syscalls.h of Linux 6.12, in the order of the call table
// (arch/x86/entry/syscalls/syscall_64.tbl); 335 to 423 are not used.
#include "helper/supervisor/call_arity.h"

#include <string_view>

namespace belljar {
namespace {

constexpr std::string_view kArity = "33312223363214403443321505333333120221304333663323" // 0
                                    "23345550031421334124533211223211221221232233312221" // 50
                                    "14030110020002222333311112224322231122232322311122" // 100
                                    "21003215212101252214221323215435553303555444333222" // 150
                                    "21633121533131445310443421122241443256354155234554" // 200
                                    "53203244345343453433651236444646321442442132155455" // 250
                                    "25453214236653345332535133666421564666666666666666" // 300
                                    "66666666666666666666666666666666666666666666666666" // 350
                                    "66666666666666666666666642643525332234345654342125" // 400
                                    "4443464444433";                                     // 450

} // namespace

int call_arity(int number) {
    if (number < 0 || static_cast<std::size_t>(number) >= kArity.size()) return 6;
    return kArity[static_cast<std::size_t>(number)] - '0';
}

} // namespace belljar

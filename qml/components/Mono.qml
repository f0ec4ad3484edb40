// An identifier: a host, a path, a call, arguments. Elided where it says least, with the whole of it one glance away.
import QtQuick
import Belljar

Txt {
    id: mono
    property bool path: false // paths and arguments lose their middle, hosts their left

    font: Theme.mono
    elide: path ? Text.ElideMiddle : Text.ElideLeft
    Accessible.role: Accessible.StaticText
    Accessible.name: text

    HoverHandler { id: hover }
    Tip { text: mono.text; visible: hover.hovered && mono.truncated }
}

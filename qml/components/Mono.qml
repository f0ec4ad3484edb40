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
    // Made when it is wanted: a table has hundreds of these. (A Loader of Qt 6.4 cannot make a bound component.)
    Loader {
        anchors.fill: parent
        active: hover.hovered && mono.truncated
        sourceComponent: Tip {}
        onLoaded: {
            const tip = item as Tip;
            tip.parent = mono;
            tip.text = mono.text;
            tip.visible = true;
        }
    }
}

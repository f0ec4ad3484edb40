// One line under a page's head: contact lost, a record that cannot be read. It stays until what it says is over.
import QtQuick
import Belljar

Rectangle {
    id: banner
    required property string text
    property string kind: "unsure" // or "fail", "wait", "info"
    property string action: ""
    signal acted

    readonly property color tint: kind === "fail" ? Theme.fail : kind === "wait" ? Theme.wait : kind === "info" ? Theme.accent : Theme.unsure

    implicitHeight: visible ? Math.max(Theme.stripHeight, words.implicitHeight + Theme.gap2) : 0
    visible: text !== ""
    color: Theme.bg1
    Accessible.role: Accessible.AlertMessage
    Accessible.name: text

    Rectangle { width: Theme.selectionBar; height: parent.height; color: banner.tint }
    Glyph {
        id: sign
        x: Theme.pageMargin
        anchors.verticalCenter: parent.verticalCenter
        name: banner.kind === "fail" ? "lost" : "info"
        tint: banner.tint
    }
    Txt {
        id: words
        anchors { left: sign.right; leftMargin: Theme.gap2; right: button.left; rightMargin: Theme.gap3; verticalCenter: parent.verticalCenter }
        text: banner.text
        font: Theme.note
        wrapMode: Text.Wrap
        maximumLineCount: 3
        Accessible.ignored: true
    }
    Btn {
        id: button
        anchors { right: parent.right; rightMargin: Theme.pageMargin; verticalCenter: parent.verticalCenter }
        width: visible ? implicitWidth : 0
        kind: "ghost"
        text: banner.action
        visible: banner.action !== ""
        implicitHeight: Theme.controlSmall
        onClicked: banner.acted()
    }
    Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
}

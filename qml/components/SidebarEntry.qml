// One line of the sidebar: a page, or a live session with its state and how many of its connections wait for a person.
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.Look

T.AbstractButton {
    id: entry
    property string glyph: ""
    property string word: "" // a state; instead of the glyph
    property bool current: false
    property bool rail: false
    property string keys: ""
    property int held: 0
    property bool keysShown: false // where there is room for them, else in the tooltip of the rail

    implicitHeight: word === "" ? Theme.controlLarge : Theme.control
    implicitWidth: rail ? Theme.railWidth : Theme.sidebarWidth
    focusPolicy: Qt.StrongFocus
    Accessible.role: word === "" ? Accessible.PageTab : Accessible.ListItem
    Accessible.name: held > 0 ? qsTr("%1, %n waiting for you", "", held).arg(text) : text
    Accessible.description: signs.word === "" ? "" : signs.text
    Accessible.selected: current
    Keys.onReturnPressed: entry.clicked()

    readonly property Vocabulary signs: Vocabulary { word: entry.word }
    readonly property color tint: current || hovered ? Theme.fg0 : Theme.fg1

    Item {
        anchors.fill: parent
        Glyph {
            id: sign
            x: entry.rail ? (parent.width - width) / 2 : Theme.gap4
            anchors.verticalCenter: parent.verticalCenter
            name: entry.word === "" ? entry.glyph : entry.signs.glyph
            size: entry.word === "" ? Theme.glyph : Theme.glyphSmall
            tint: entry.word === "" ? entry.tint : entry.signs.tint
            ink: entry.word === "" ? "transparent" : entry.signs.ink
            rim: entry.word === "" ? "transparent" : entry.signs.rim
        }
        Txt {
            anchors { left: parent.left; leftMargin: Theme.gap4 + Theme.glyph + Theme.gap3; right: parent.right
                      rightMargin: count.visible ? count.width + Theme.gap4 + Theme.gap1 : key.visible ? key.width + Theme.gap4 : Theme.gap3
                      verticalCenter: parent.verticalCenter }
            id: words
            visible: !entry.rail
            text: Words.visible(entry.text, 120)
            font: entry.keysShown ? Theme.note : Theme.body
            color: entry.tint
            Accessible.ignored: true
        }
        Txt {
            id: count
            anchors { right: parent.right; rightMargin: Theme.gap4; verticalCenter: parent.verticalCenter }
            visible: !entry.rail && entry.held > 0
            text: entry.held
            font: Theme.noteStrong
            color: Theme.wait
            Accessible.ignored: true
        }
        Kbd {
            id: key
            anchors { right: parent.right; rightMargin: Theme.gap3; verticalCenter: parent.verticalCenter }
            visible: !entry.rail && entry.keysShown && words.x + words.implicitWidth + width + Theme.gap4 <= entry.width
            text: entry.keys
            Accessible.ignored: true
        }
    }
    background: Rectangle {
        anchors { fill: parent; leftMargin: Theme.gap2; rightMargin: Theme.gap2; topMargin: Theme.hairline; bottomMargin: Theme.hairline }
        radius: Theme.radius
        color: entry.current || entry.hovered || entry.down ? Theme.bg3 : "transparent"
        FocusRing { shown: entry.visualFocus; inside: true; radius: Theme.radius }
    }
    Tip {
        text: entry.keys === "" ? entry.text : entry.text + "  " + entry.keys
        visible: entry.rail && (entry.hovered || entry.visualFocus)
        x: entry.width
        y: (entry.height - height) / 2
    }
}

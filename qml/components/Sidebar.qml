// The pages, the live sessions, and the way to anything. As a rail it shows signs only. Pages: { text, glyph, keys? }; live: a model
// with the roles name, state and sessionId.
pragma ComponentBehavior: Bound
import QtQuick
import Belljar

Rectangle {
    id: sidebar
    required property var pages
    property var live: null
    property int current: 0
    property string currentSession: ""
    property bool rail: false
    property bool withPalette: true // there is a way to anything
    signal pageChosen(int index)
    signal sessionChosen(string sessionId)
    signal paletteAsked

    implicitWidth: rail ? Theme.railWidth : Theme.sidebarWidth
    color: Theme.bg1
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Pages and live sessions")

    Item {
        id: head
        width: parent.width
        height: Theme.headHeight
        Glyph {
            x: sidebar.rail ? (parent.width - width) / 2 : Theme.gap4
            anchors.verticalCenter: parent.verticalCenter
            name: "jar"
            tint: Theme.fg0
            size: Theme.pageMargin
        }
        Txt {
            x: Theme.gap4 + Theme.glyph + Theme.gap3
            anchors.verticalCenter: parent.verticalCenter
            visible: !sidebar.rail
            text: qsTr("Belljar")
            font: Theme.strong
        }
    }
    Column {
        id: pageList
        y: Theme.headHeight
        width: parent.width
        Repeater {
            model: sidebar.pages
            delegate: SidebarEntry {
                required property int index
                required property var modelData
                width: sidebar.width
                rail: sidebar.rail
                text: modelData.text
                glyph: modelData.glyph
                keys: modelData.keys === undefined ? "" : modelData.keys
                current: sidebar.current === index
                onClicked: sidebar.pageChosen(index)
            }
        }
    }
    Txt {
        id: liveHead
        x: Theme.gap4
        y: pageList.y + pageList.height + Theme.gap4
        visible: !sidebar.rail && list.count > 0
        text: qsTr("Live")
        font: Theme.note
        color: Theme.fg2
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }
    ListView {
        id: list
        anchors { top: liveHead.bottom; topMargin: Theme.gap2; left: parent.left; right: parent.right; bottom: foot.top }
        clip: true
        model: sidebar.live
        boundsBehavior: Flickable.StopAtBounds
        delegate: SidebarEntry {
            id: session
            required property string name
            required property string state
            required property string sessionId
            width: sidebar.width
            rail: sidebar.rail
            text: name
            word: state
            current: sidebar.currentSession === sessionId
            onClicked: sidebar.sessionChosen(sessionId)
        }
    }
    SidebarEntry {
        id: foot
        visible: sidebar.withPalette
        anchors { bottom: parent.bottom; bottomMargin: Theme.gap2 }
        width: parent.width
        rail: sidebar.rail
        glyph: "search"
        text: qsTr("Go to anything")
        keys: qsTr("Ctrl+K")
        keysShown: true
        onClicked: sidebar.paletteAsked()
    }
    Rectangle { anchors.right: parent.right; width: Theme.hairline; height: parent.height; color: Theme.line }
}

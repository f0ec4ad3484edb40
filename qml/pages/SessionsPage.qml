// All sessions, those that live first, and at the right what the chosen one is doing.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.App
import Belljar.Look
import Belljar.Sessions

Item {
    id: page
    required property string session // chosen, by id
    required property real nowMs
    required property bool tight
    signal chosen(string sessionId)
    signal newSessionAsked

    readonly property var facts: {
        list.count; // reads anew when the list changes
        page.nowMs;
        return shown.session(page.session);
    }
    // From a file, since a section cannot be a bound component (Qt 6.4); held here, or it would be collected while in use.
    readonly property Component group: Qt.createComponent("SessionGroup.qml")
    readonly property bool empty: App.sessions.known && list.count === 0

    SessionFilter { id: shown; sessions: App.sessions; text: filter.text }

    Rectangle {
        id: head
        width: parent.width
        height: Theme.headHeight
        color: Theme.bg0
        Txt {
            id: title
            x: Theme.pageMargin
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("Sessions")
            font: Theme.title
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Txt {
            anchors { left: title.right; leftMargin: Theme.gap3; right: filter.left; rightMargin: Theme.gap3; baseline: title.baseline }
            text: App.sessions.live === 0 ? qsTr("none live") : qsTr("%1 live").arg(Words.count(App.sessions.live))
            color: Theme.fg2
        }
        Field {
            id: filter
            anchors { right: create.left; rightMargin: Theme.gap2; verticalCenter: parent.verticalCenter }
            width: Math.min(implicitWidth, page.width / 4)
            label: qsTr("Filter by name, command, workspace")
            labelled: false
            hint: qsTr("Filter")
            glyph: "search"
            clearable: true
        }
        Btn {
            id: create
            anchors { right: parent.right; rightMargin: Theme.pageMargin; verticalCenter: parent.verticalCenter }
            kind: "primary"
            glyph: "plus"
            text: qsTr("New session")
            keys: qsTr("Ctrl+N")
            onClicked: page.newSessionAsked()
        }
        Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
    }
    SessionColumns { id: widths; width: list.width; withTrace: false }
    SessionHead {
        id: heads
        anchors { top: head.bottom; left: parent.left; right: inspector.left }
        columns: widths
        visible: list.count > 0
    }
    ListView {
        id: list
        anchors { top: heads.bottom; left: parent.left; right: inspector.left; bottom: parent.bottom }
        clip: true
        model: shown
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: Scroll {}
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Sessions")
        section.property: "group"
        section.delegate: page.group
        delegate: SessionRow {
            width: list.width
            columns: widths
            nowMs: page.nowMs
            chosen: page.session === sessionId
            onSelected: id => page.chosen(id)
            onMenuAsked: menu.popup()
        }
    }
    EmptyState {
        anchors.centerIn: list
        width: list.width
        large: filter.text === ""
        visible: page.empty
        glyph: "jar"
        title: filter.text === "" ? qsTr("No session yet") : qsTr("No session matches “%1”.").arg(filter.text)
        text: filter.text === "" ? qsTr("A session runs one command in a sandbox, and keeps a record of what it reached for.")
                                 : qsTr("%1 hidden by the filter.").arg(Words.count(App.sessions.rowCount()))
        action: filter.text === "" ? qsTr("New session") : qsTr("Clear the filter")
        onActed: {
            if (filter.text === "") page.newSessionAsked();
            else filter.text = "";
        }
    }
    SessionInspector {
        id: inspector
        anchors { top: head.bottom; right: parent.right; bottom: parent.bottom }
        width: page.tight || page.empty ? 0 : Math.min(Theme.inspectorMost, Math.max(Theme.inspectorLeast, page.width * 0.24))
        visible: width > 0
        facts: page.facts
        nowMs: page.nowMs
        onRemoveAsked: removal.open()
    }
    Menu {
        id: menu
        MenuEntry {
            text: qsTr("Stop")
            enabled: page.facts.live === true
            onTriggered: App.stop(page.session)
        }
        MenuEntry {
            text: qsTr("Remove…")
            danger: true
            enabled: page.facts.live === false
            onTriggered: removal.open()
        }
    }
    Dialog {
        id: removal
        property string sessionId: "" // fixed when it opens
        title: qsTr("Remove this session?")
        onAboutToShow: sessionId = page.session
        contentItem: Txt {
            text: qsTr("The record, the transcript and the private home of “%1” go. Its workspace stays as it is.")
                  .arg(Words.visible(page.facts.name === undefined ? "" : page.facts.name, 80))
            wrapMode: Text.Wrap
        }
        buttons: [
            Btn { text: qsTr("Keep it"); onClicked: removal.close() },
            Btn {
                text: qsTr("Remove 1 session")
                kind: "danger"
                onClicked: {
                    App.remove(removal.sessionId);
                    removal.close();
                }
            }
        ]
    }
}

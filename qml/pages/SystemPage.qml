// What doctor finds on this machine: what limits enforcement first, with one line to copy; what is in order below, small.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.App
import Belljar.Look

Item {
    id: page

    Rectangle {
        id: head
        width: parent.width
        height: Theme.headHeight
        color: Theme.bg0
        Txt {
            id: title
            x: Theme.pageMargin
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("System")
            font: Theme.title
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Txt {
            anchors { left: title.right; leftMargin: Theme.gap3; right: again.left; rightMargin: Theme.gap3; baseline: title.baseline }
            text: !App.checks.known ? qsTr("Looking at this machine…")
                : App.checks.able ? qsTr("Sessions can run here.") : qsTr("Sessions cannot run here: see what is missing.")
            color: App.checks.known && !App.checks.able ? Theme.fail : Theme.fg2
        }
        Btn {
            id: again
            anchors { right: parent.right; rightMargin: Theme.pageMargin; verticalCenter: parent.verticalCenter }
            text: qsTr("Check again")
            keys: qsTr("F5")
            enabled: !App.checks.checking
            onClicked: App.checks.check()
        }
        Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
    }
    Shortcut { sequence: "F5"; enabled: page.visible; onActivated: App.checks.check() }
    ListView {
        id: list
        anchors { top: head.bottom; left: parent.left; right: parent.right; bottom: parent.bottom; topMargin: Theme.gap2 }
        clip: true
        model: App.checks
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: Scroll {}
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Findings")
        delegate: Item {
            id: finding
            required property string name
            required property string state
            required property string found
            required property string advice
            readonly property bool fine: state === "ok"
            width: list.width
            height: words.height + (fine ? Theme.gap1 : Theme.gap4)
            Accessible.role: Accessible.ListItem
            Accessible.name: advice === "" ? name + ". " + found : name + ". " + found + ". " + advice
            StateMark {
                x: Theme.pageMargin
                y: finding.fine ? -Theme.hairline : 0
                word: finding.state === "ok" ? "enforced" : finding.state === "note" ? "weaker" : "missing"
            }
            Column {
                id: words
                x: Theme.pageMargin + Theme.glyph + Theme.gap3
                width: Math.min(parent.width - x - Theme.pageMargin, Theme.textMost * 2)
                spacing: Theme.gap1
                Txt {
                    width: parent.width
                    text: finding.fine ? qsTr("%1: %2").arg(finding.name).arg(Words.visible(finding.found, 400)) : finding.name
                    font: finding.fine ? Theme.note : Theme.name
                    color: finding.fine ? Theme.fg1 : Theme.fg0
                }
                Txt {
                    width: parent.width
                    visible: !finding.fine
                    text: Words.visible(finding.found, 600)
                    font: Theme.note
                    color: Theme.fg1
                    wrapMode: Text.Wrap
                }
                Row {
                    visible: !finding.fine && finding.advice !== ""
                    spacing: Theme.gap2
                    TextEdit {
                        width: Math.min(implicitWidth, words.width - Theme.gap6 * 2)
                        text: Words.visible(finding.advice, 600)
                        readOnly: true
                        selectByMouse: true
                        textFormat: TextEdit.PlainText
                        font: Theme.mono
                        color: Theme.fg0
                        selectionColor: Theme.accentFill
                        selectedTextColor: Theme.inkAccent
                        wrapMode: TextEdit.Wrap
                        Accessible.role: Accessible.StaticText
                        Accessible.name: text
                    }
                }
            }
        }
    }
}

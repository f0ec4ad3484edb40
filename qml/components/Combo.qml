// One of several, named. The list is as long as fits the window and scrolls beyond.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar

T.ComboBox {
    id: combo
    required property string label // its accessible name
    property bool mono: false

    font: mono ? Theme.mono : Theme.body
    implicitHeight: Theme.control
    implicitWidth: widest.width + Theme.gap2 + Theme.gap3 * 2 + Theme.glyphSmall
    opacity: enabled ? 1 : Theme.disabled
    leftPadding: Theme.gap2
    rightPadding: Theme.gap3 + Theme.glyphSmall
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.ComboBox
    Accessible.name: label
    Accessible.description: displayText
    // At the release: the template closes its list with the release of Return.
    Keys.onReleased: event => {
        if ((event.key !== Qt.Key_Return && event.key !== Qt.Key_Enter) || popup.visible) return;
        popup.open();
        event.accepted = true;
    }

    // Implicit width follows the longest entry, so that a choice does not move what stands beside it.
    TextMetrics {
        id: widest
        font: combo.font
        text: {
            let longest = combo.displayText;
            for (let i = 0; i < Math.min(combo.count, 100); ++i)
                if (combo.textAt(i).length > longest.length) longest = combo.textAt(i);
            return longest.substring(0, 60);
        }
    }
    contentItem: Txt {
        text: combo.displayText
        font: combo.font
        elide: combo.mono ? Text.ElideMiddle : Text.ElideRight
    }
    indicator: Glyph {
        name: "down"
        size: Theme.glyphSmall
        x: combo.width - width - Theme.gap2
        y: (combo.height - height) / 2
    }
    background: Rectangle {
        color: combo.hovered || combo.down ? Theme.bg3 : Theme.bg2
        radius: Theme.radius
        border.width: Theme.hairline
        border.color: Theme.edge
        FocusRing { shown: combo.visualFocus }
    }
    delegate: T.ItemDelegate {
        id: entry
        required property int index
        width: ListView.view.width
        height: Theme.control
        highlighted: combo.highlightedIndex === index
        Accessible.role: Accessible.ListItem
        Accessible.name: combo.textAt(index)
        contentItem: Txt {
            leftPadding: Theme.gap2
            text: combo.textAt(entry.index)
            font: combo.font
            elide: combo.mono ? Text.ElideMiddle : Text.ElideRight
        }
        background: Rectangle {
            color: entry.highlighted ? Theme.bg3 : "transparent"
            radius: Theme.radius
        }
    }
    popup: T.Popup {
        y: combo.height + Theme.gap1
        width: combo.width
        height: Math.min(contentItem.implicitHeight + topPadding + bottomPadding, Theme.control * 10)
        padding: Theme.gap1
        margins: Theme.gap2
        contentItem: ListView {
            implicitHeight: contentHeight
            clip: true
            model: combo.popup.visible ? combo.delegateModel : null
            currentIndex: combo.highlightedIndex
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: Scroll {}
        }
        background: Rectangle {
            color: Theme.bg2
            radius: Theme.radius
            border.color: Theme.outline
        }
    }
}

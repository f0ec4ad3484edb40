// A tooltip: shown by whoever owns it, for text that had to be cut and for buttons without a word.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.ToolTip {
    id: tip
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? parent.height + Theme.gap1 : 0
    margins: Theme.gap2
    padding: Theme.gap1
    leftPadding: Theme.gap2
    rightPadding: Theme.gap2
    delay: 500
    implicitWidth: Math.min(Theme.textMost, contentItem.implicitWidth + leftPadding + rightPadding)
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent

    contentItem: Txt {
        text: tip.text
        font: Theme.note
        wrapMode: Text.Wrap
        maximumLineCount: 8
    }
    background: Rectangle {
        color: Theme.bg3
        border.color: Theme.outline
        radius: Theme.radius
    }
}

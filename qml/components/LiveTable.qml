// A table whose rows arrive while one reads. At the top with nothing chosen it follows; scrolled or with a row chosen it holds still
// and says how many wait. The model decides what is listed: `following` and `newestAsked` are what it needs to know for that.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.Look

FocusScope {
    id: table
    required property string label
    property list<TableColumn> columns
    required property var model
    required property Component delegate // a TableRow
    property var dragged: ({}) // widths that a person gave, by the column's index; to be kept by the page
    property string sortKey: ""
    property bool descending: true
    property int waiting: 0
    property string chosenKey: ""
    property string emptyTitle: ""
    property string emptyText: ""
    property string emptyAction: ""
    readonly property bool following: list.atYBeginning && chosenKey === ""
    readonly property alias view: list
    readonly property var widths: shareOut(list.width - Theme.gap3 * 2)
    signal sortAsked(string key, bool descending)
    signal newestAsked
    signal stepAsked(int rows) // Up and Down: the model knows which row comes next
    signal openAsked
    signal emptyActed

    // Least widths first, then the rest by share. Where not even the least ones fit, all give in proportion.
    function shareOut(room: real): var {
        let least = 0, shares = 0;
        for (let i = 0; i < columns.length; ++i) {
            const column = columns[i];
            if (!column.shown) continue;
            least += dragged[i] ?? column.least;
            if (dragged[i] === undefined) shares += column.share;
        }
        const rest = Math.max(0, room - least), press = least > room && least > 0 ? room / least : 1;
        const widths = [];
        for (let i = 0; i < columns.length; ++i) {
            const column = columns[i];
            const base = dragged[i] ?? column.least;
            const extra = dragged[i] === undefined && shares > 0 ? rest * column.share / shares : 0;
            widths.push(column.shown ? Math.floor(base * press + extra) : 0);
        }
        return widths;
    }

    Accessible.role: Accessible.Table
    Accessible.name: label

    TableHead {
        id: head
        width: parent.width
        columns: table.columns
        widths: table.widths
        sortKey: table.sortKey
        descending: table.descending
        onSortAsked: (key, descending) => table.sortAsked(key, descending)
        onWidthAsked: (column, width) => {
            const widths = Object.assign({}, table.dragged);
            widths[column] = Math.max(Theme.control, width);
            table.dragged = widths;
        }
    }
    ListView {
        id: list
        anchors { top: head.bottom; left: parent.left; right: parent.right; bottom: parent.bottom }
        clip: true
        focus: true
        activeFocusOnTab: true
        reuseItems: true
        keyNavigationEnabled: false
        boundsBehavior: Flickable.StopAtBounds
        model: table.model
        delegate: table.delegate
        T.ScrollBar.vertical: Scroll {}
        Keys.onUpPressed: table.stepAsked(-1)
        Keys.onDownPressed: table.stepAsked(1)
        Keys.onReturnPressed: table.openAsked()
        Keys.onPressed: event => {
            if (event.key === Qt.Key_PageUp) table.stepAsked(-Math.max(1, Math.floor(list.height / Theme.rowHeight) - 1));
            else if (event.key === Qt.Key_PageDown) table.stepAsked(Math.max(1, Math.floor(list.height / Theme.rowHeight) - 1));
            else if (event.key === Qt.Key_Home) table.newestAsked();
            else return;
            event.accepted = true;
        }
    }
    Btn {
        id: fresh
        anchors { top: head.bottom; topMargin: Theme.gap2; horizontalCenter: parent.horizontalCenter }
        visible: table.waiting > 0
        implicitHeight: Theme.controlSmall
        glyph: "up"
        text: qsTr("%1 new").arg(Words.count(table.waiting))
        onClicked: {
            list.positionViewAtBeginning();
            table.newestAsked();
        }
    }
    EmptyState {
        anchors.fill: list
        visible: list.count === 0 && table.emptyTitle !== ""
        title: table.emptyTitle
        text: table.emptyText
        action: table.emptyAction
        onActed: table.emptyActed()
    }
}

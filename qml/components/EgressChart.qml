// Bytes a second by host, stacked. The page adds the series to `view` and feeds them, one replace() a tick; the axes'
// labels are texts of the window, because those of Qt Charts are not drawn in the window's fonts and colours at every ratio.
pragma ComponentBehavior: Bound
import QtQuick
import QtCharts
import Belljar

Item {
    id: chart
    required property string label
    property real fromMs: 0
    property real toMs: 1
    property real most: 1 // bytes a second at the top
    property var rateWords: [] // at even steps from the bottom to the top, without the zero
    property var timeWords: [] // evenly spaced, oldest first
    property alias view: view
    property alias timeAxis: timeAxis
    property alias rateAxis: rateAxis
    property bool empty: false

    readonly property real labelWidth: widest.advanceWidth + Theme.gap2
    implicitHeight: Theme.chartHeight
    Accessible.role: Accessible.Chart
    Accessible.name: label

    TextMetrics { id: widest; font: Theme.monoSmall; text: "000.0 MB" }

    ChartView {
        id: view
        anchors.fill: parent
        plotArea: Qt.rect(chart.labelWidth, Theme.gap2, Math.max(1, width - chart.labelWidth - Theme.gap3),
                          Math.max(1, height - Theme.gap2 - Theme.pageMargin))
        backgroundColor: "transparent"
        plotAreaColor: "transparent"
        legend.visible: false
        antialiasing: true
        margins { left: 0; right: 0; top: 0; bottom: 0 }
        ValuesAxis {
            id: timeAxis
            min: chart.fromMs
            max: Math.max(chart.toMs, chart.fromMs + 1)
            labelsVisible: false
            lineVisible: true
            gridVisible: true
            gridLineColor: Theme.line
            color: Theme.edge
            tickCount: Math.max(2, chart.timeWords.length)
        }
        ValuesAxis {
            id: rateAxis
            min: 0
            max: Math.max(1, chart.most)
            labelsVisible: false
            lineVisible: false
            gridLineColor: Theme.line
            tickCount: Math.max(2, chart.rateWords.length + 1)
        }
    }
    Repeater {
        model: chart.rateWords
        delegate: Txt {
            required property int index
            required property string modelData
            width: chart.labelWidth - Theme.gap2
            y: view.plotArea.y + view.plotArea.height * (1 - (index + 1) / chart.rateWords.length) - height / 2
            horizontalAlignment: Text.AlignRight
            text: modelData
            font: Theme.monoSmall
            color: Theme.fg2
        }
    }
    Repeater {
        model: chart.timeWords
        delegate: Txt {
            required property int index
            required property string modelData
            readonly property real share: chart.timeWords.length < 2 ? 0 : index / (chart.timeWords.length - 1)
            x: view.plotArea.x + share * (view.plotArea.width - implicitWidth)
            y: view.plotArea.y + view.plotArea.height + Theme.gap1
            text: modelData
            font: Theme.monoSmall
            color: Theme.fg2
        }
    }
    EmptyState {
        anchors.fill: parent
        visible: chart.empty
        title: qsTr("No traffic in this time.")
    }
}

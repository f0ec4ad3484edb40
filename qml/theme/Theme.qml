// Every colour, size and font of the window, for dark and light. What a colour says is in its name: hold, a promise holds; refuse,
// the jar refused as it should; wait, a person is awaited; fail, a promise failed; unsure, it cannot be said.
// A property must not begin with "on", QML takes that for a signal handler: hence ink… for what stands on a fill.
pragma Singleton
import QtQuick
import Belljar.Look

QtObject {
    id: theme

    property string mode: "system" // or "dark", "light"
    readonly property bool dark: mode === "dark" || (mode !== "light" && Desktop.dark)

    readonly property color bg0: dark ? "#131619" : "#FCFCFB" // content
    readonly property color bg1: dark ? "#181C20" : "#F4F5F4" // sidebar, heads, inspectors
    readonly property color bg2: dark ? "#1F2429" : "#FFFFFF" // inputs, buttons
    readonly property color bg3: dark ? "#262C32" : "#E9ECEC" // hover, track, chosen segment
    readonly property color sel: dark ? "#1E3048" : "#DCE9FA" // chosen row
    readonly property color term: dark ? "#0F1214" : "#FFFFFF" // terminal, code
    readonly property color line: dark ? "#2A3137" : "#DEE2E3"
    readonly property color rowLine: Qt.alpha(line, 0.6)
    readonly property color edge: dark ? "#6C7883" : "#7F8A93" // outlines of inputs, axes
    readonly property color outline: dark ? "#434D56" : "#B9C1C6" // of buttons and segments, decoration
    readonly property color dim: Qt.rgba(0, 0, 0, dark ? 0.6 : 0.4) // behind a dialog

    readonly property color fg0: dark ? "#E7EBEE" : "#171B1E"
    readonly property color fg1: dark ? "#B0BAC3" : "#454F57"
    readonly property color fg2: dark ? "#8D99A4" : "#5C6770" // the faintest text allowed

    readonly property color accent: dark ? "#75AEF8" : "#1B5DBE"
    readonly property color accentFill: dark ? "#2B6CCB" : "#1F63C6"
    readonly property color accentPressed: Qt.darker(accentFill, 1.15)
    readonly property color inkAccent: "#FFFFFF"
    readonly property color hold: dark ? "#59C3AE" : "#0A6E5F"
    readonly property color refuse: dark ? "#EA9560" : "#A4450C"
    readonly property color wait: dark ? "#E6C34A" : "#765600"
    readonly property color waitFill: dark ? "#E6C34A" : "#F2CF57"
    readonly property color waitMark: dark ? "#E6C34A" : "#9A7200"
    readonly property color inkWait: "#1C1600"
    readonly property color fail: dark ? "#FF7583" : "#B6143A"
    readonly property color failFill: dark ? "#F25C6E" : "#B6143A"
    readonly property color inkFail: dark ? "#1B0407" : "#FFFFFF"
    readonly property color unsure: dark ? "#B9A3F3" : "#6540B4"

    // Traffic by host, light and dark in turn; the last one is the rest.
    readonly property list<color> series: dark ? ["#4F83D6", "#A5C4F4", "#7B6BC6", "#CFC5F5", "#66727D"]
                                               : ["#2459AE", "#6D9CE3", "#5B46A8", "#9C8ADF", "#7D8993"]
    readonly property color traceBar: dark ? "#6F7A84" : "#7F8A93"

    readonly property int gap1: 4
    readonly property int gap2: 8
    readonly property int gap3: 12
    readonly property int gap4: 16
    readonly property int gap5: 24
    readonly property int gap6: 32
    readonly property int pageMargin: 20
    readonly property int documentMargin: 24
    readonly property int hairline: 1
    readonly property int selectionBar: 2
    readonly property int focusWidth: 2
    readonly property int focusGap: 1

    readonly property int radius: 4 // controls
    readonly property int frameRadius: 6
    readonly property int dialogRadius: 8

    readonly property int sidebarWidth: 188
    readonly property int railWidth: 48
    readonly property int tightBelow: 1280 // narrower windows have the rail
    readonly property int headHeight: 52
    readonly property int tabHeight: 36
    readonly property int toolHeight: 44
    readonly property int columnHeadHeight: 26
    readonly property int statusHeight: 24
    readonly property int stripHeight: 32
    readonly property int inspectorLeast: 304
    readonly property int inspectorMost: 408
    readonly property int rowHeight: 28
    readonly property int rowHeight2: 44
    readonly property int sessionRowHeight: 54
    readonly property int control: 28
    readonly property int controlSmall: 24
    readonly property int controlLarge: 32
    readonly property int glyph: 16
    readonly property int glyphSmall: 14
    readonly property int glyphHero: 40
    readonly property int scrollBar: 10
    readonly property int textMost: 480 // what one reads in a line
    readonly property int traceHeight: 42
    readonly property int chartHeight: 220
    readonly property int chartHeightNarrow: 118
    readonly property int chipMost: 240
    readonly property int dialogWidth: 480
    readonly property int menuLeast: 160
    readonly property int menuMost: 360

    readonly property real disabled: 0.45
    readonly property int fade: Desktop.reducedMotion ? 0 : 120

    readonly property int terminalSize: 12
    readonly property int terminalLeast: 8
    readonly property int terminalMost: 32

    readonly property font title: face(Fonts.sans, 15, Font.DemiBold)
    readonly property font hero: face(Fonts.sans, 20, Font.DemiBold)
    readonly property font body: face(Fonts.sans, 13, Font.Normal)
    readonly property font name: face(Fonts.sans, 13, Font.Medium)
    readonly property font strong: face(Fonts.sans, 13, Font.DemiBold)
    readonly property font note: face(Fonts.sans, 12, Font.Normal) // tables, notes, help
    readonly property font noteStrong: face(Fonts.sans, 12, Font.DemiBold)
    readonly property font section: face(Fonts.sans, 12, Font.DemiBold)
    readonly property font columnHead: face(Fonts.sans, 11, Font.Medium)
    readonly property font small: face(Fonts.sans, 11, Font.Normal) // the smallest there is
    readonly property font mono: face(Fonts.mono, 12, Font.Normal)
    readonly property font monoSmall: face(Fonts.mono, 11, Font.Normal)

    function face(family: string, size: int, weight: int): font {
        return Qt.font({ family: family, pixelSize: size, weight: weight, hintingPreference: Font.PreferNoHinting });
    }
}

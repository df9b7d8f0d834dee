// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.micro.demo.Section.Bar;
import java.util.List;
import java.util.Locale;

/** What the demo tells as one HTML file that needs no other, for light and dark screens. Stateless. */
final class Page {
    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Pollux on this machine</title>
            <style>
            :root { color-scheme: light dark; --paper: #fff; --ink: #1c1e21; --quiet: #5c636a; --line: #d9dde1;
              --jdk: #9aa3ab; --pollux: #2a78c8; --noise: #1c1e21 }
            @media (prefers-color-scheme: dark) {
              :root { --paper: #16181b; --ink: #e6e8ea; --quiet: #9aa3ab; --line: #34393f;
                --jdk: #6a737c; --pollux: #4c9be8; --noise: #e6e8ea } }
            body { margin: 2rem auto; max-width: 56rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
              font: 1rem/1.5 system-ui, sans-serif }
            h1 { font-size: 1.6rem } h2 { font-size: 1.1rem; margin-top: 2rem; border-top: 1px solid var(--line);
              padding-top: 1rem }
            .bar { display: grid; grid-template-columns: 5rem 5rem 1fr 15rem; gap: .75rem; margin: .4rem 0;
              align-items: center }
            .bar b { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600 }
            .track { position: relative; height: 1.4rem }
            .track i { position: absolute; inset: 0 auto 0 0; background: var(--pollux); border-radius: 2px }
            .bar:first-of-type .track i { background: var(--jdk) }
            .track u { position: absolute; box-sizing: border-box; top: 50%; height: .7rem; transform: translateY(-50%);
              border: solid var(--noise); border-width: 0 2px;
              background: linear-gradient(var(--noise), var(--noise)) center/100% 2px no-repeat }
            .note { color: var(--quiet); font-size: .9rem }
            pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: 4px;
              font-size: .8rem; white-space: pre-wrap }
            @media (max-width: 40rem) { .bar { grid-template-columns: 5rem 4rem 1fr } .bar span { grid-column: 3 } }
            </style>
            <h1>Pollux on this machine</h1>
            """;

    private Page() {
    }

    static String of(List<Section> sections) {
        StringBuilder page = new StringBuilder(HEAD);
        for (Section section : sections) {
            page.append("<h2>").append(escaped(section.title())).append("</h2>\n");
            section.text().forEach(text -> page.append("<p>").append(escaped(text)).append("</p>\n"));
            page.append("<div>\n");
            section.bars().forEach(bar -> page.append(row(bar, section.most())));
            page.append("</div>\n");
            if (!section.bars().isEmpty()) {
                page.append("<p class=\"note\">Requests per second of processor time: the median of the rounds, and the"
                        + " interval that holds it in 95 of 100 cases.</p>\n");
            }
            if (!section.quoted().isEmpty()) {
                page.append("<pre>").append(escaped(String.join("\n", section.quoted()))).append("</pre>\n");
            }
        }
        return page.append("</html>\n").toString();
    }

    private static String row(Bar bar, double most) {
        double scale = 100 / most;
        return String.format(Locale.ROOT, "<div class=\"bar\">%s<b>%.0f</b><div class=\"track\">"
                + "<i style=\"width:%.1f%%\"></i><u style=\"left:%.1f%%;width:%.1f%%\"></u></div>"
                + "<span>%s</span></div>%n",
                escaped(bar.way()), bar.requests().median(), scale * bar.requests().median(),
                scale * bar.requests().low(), scale * (bar.requests().high() - bar.requests().low()),
                escaped(bar.verdict()));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}

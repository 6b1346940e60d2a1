"""The style sheet of a page: the colours of the viewer, for light and dark screens, phones and paper."""

from __future__ import annotations

STYLE = """
:root{color-scheme:light dark;--ground:#eeeeee;--panel:#fafafa;--line:#d0d0d0;--text:#262626;--muted:#5c5c5c;
--low:#5f8787;--mid:#d7af00;--high:#d75f5f;--bar:#5f87af;--neutral:#a8a8a8;--counter:#8787af;--grid:#dadada;
--focus:#00728a;--error:#af0000;--warn:#8a5a00;--info:#005f87;--on:#000}
@media (prefers-color-scheme:dark){:root{--ground:#121212;--panel:#1c1c1c;--line:#3a3a3a;--text:#d0d0d0;--muted:#9e9e9e;
--neutral:#585858;--counter:#5f5f87;--grid:#303030;--focus:#00d7ff;--error:#ff5f5f;--warn:#ffaf00;--info:#87afd7}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:76rem;background:var(--ground);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",
"Noto Sans CJK SC","Microsoft YaHei",sans-serif}
header{margin-bottom:1.25rem}
h1{margin:0;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
h2{margin:0 0 .5rem;font-size:1.05rem}
h3{margin:0;font-size:1rem;font-weight:600;overflow-wrap:anywhere}
p{margin:.3rem 0;overflow-wrap:anywhere}
.facts,.note,figcaption,footer{color:var(--muted);font-size:.87rem}
section{margin:0 0 1rem;padding:1rem 1.1rem;background:var(--panel);border:1px solid var(--line);border-radius:6px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:1rem}
.pair{margin-bottom:1rem}.pair>section{min-width:0;margin:0}
ul.health{list-style:none;margin:.75rem 0 0;padding:0}
ul.health li{padding:.12rem 0 .12rem .7rem;border-left:3px solid var(--neutral);margin-bottom:.25rem;
overflow-wrap:anywhere}
ul.health b{margin-right:.4rem}
ul.health .ok{border-color:var(--low)}ul.health .info{border-color:var(--info)}
ul.health .warn{border-color:var(--warn)}ul.health .error{border-color:var(--error)}
.warn>b,.sev.warn,.sev.medium{color:var(--warn)}.error>b,.sev.error,.sev.high{color:var(--error)}
.info>b,.sev.info,.sev.low{color:var(--info)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.22rem .8rem .22rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}
tbody tr:last-child td{border-bottom:0}
th{color:var(--muted);font-weight:500;font-size:.82rem;white-space:nowrap}
td:first-child{overflow-wrap:anywhere;min-width:11rem}
.n{text-align:right;white-space:nowrap}
td.bar,th.bar{width:22%;min-width:4rem;padding-right:0}
td.bar i{display:block;height:.72em;margin-top:.4em;min-width:1px;border-radius:1px;print-color-adjust:exact}
i.low{background:var(--low)}i.mid{background:var(--mid)}i.high{background:var(--high)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .9rem;margin:0}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
figure{margin:0}
.drawing{overflow-x:auto}
svg{display:block;width:100%;min-width:58rem;height:auto;print-color-adjust:exact}
svg text{font-size:11px;fill:var(--text);font-family:inherit}
svg .group{font-weight:600}svg .fact,svg .tick{fill:var(--muted)}svg .on{fill:var(--on)}
svg .back{fill:var(--ground)}svg .grid{stroke:var(--grid);stroke-width:1}
svg .low{fill:var(--low)}svg .mid{fill:var(--mid)}svg .high{fill:var(--high)}svg .bar{fill:var(--bar)}
svg .neutral{fill:var(--neutral)}svg .counter{fill:var(--counter)}
.key span{display:inline-block;margin-right:1rem;white-space:nowrap}
.key i{display:inline-block;width:1.1em;height:.75em;margin-right:.35em;border-radius:1px;print-color-adjust:exact}
article{padding:.7rem 0;border-top:1px solid var(--grid)}
article:first-of-type{border-top:0;padding-top:0}
.top{display:flex;flex-wrap:wrap;gap:.1rem .7rem;align-items:baseline}
.sev{font-weight:600;min-width:3.2rem}.save{font-weight:600;white-space:nowrap}
.rule{margin-left:auto;color:var(--muted);font-size:.85rem;white-space:nowrap}
pre{margin:.4rem 0;padding:.5rem .7rem;background:var(--ground);border:1px solid var(--line);border-radius:4px;
overflow-x:auto;font:13px/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
summary{cursor:pointer;color:var(--focus);padding:.15rem 0}
summary:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
section>details>summary{font-weight:600;font-size:1.05rem;color:var(--text)}
ul.plain{margin:.3rem 0 0;padding-left:1.1rem}ul.plain li{overflow-wrap:anywhere}
@media (max-width:40rem){td:first-child{min-width:7rem}
body{padding:1rem .6rem 2rem;font-size:14px}section{padding:.8rem .7rem}
td.bar,th.bar{display:none}dl{gap:.1rem .6rem;grid-template-columns:minmax(4rem,auto) 1fr}.rule{margin-left:0}}
@media print{:root{--ground:#fff;--panel:#fff;--line:#ccc;--grid:#ddd;--text:#000;--muted:#444;--error:#af0000;
--warn:#8a5a00;--info:#005f87;--focus:#000;--neutral:#a8a8a8;--counter:#8787af}
body{max-width:none;padding:0;font-size:10pt}section{border:0;padding:.4rem 0}svg{min-width:0}
h2,summary,.top{break-after:avoid}article,tr,figure{break-inside:avoid}
details::details-content{content-visibility:visible;height:auto}.wide,.drawing{overflow:visible}}
"""

#include <assay/report/page_style.hpp>

#include <assay/plot/svg.hpp>

namespace assay::report {

std::string page_style() {
  return plot::stylesheet() +
         R"(:root{color-scheme:light dark;--ink:#1b2530;--soft:#5a6673;--line:#dfe4e9;--paper:#fff;--wash:#f5f7f9;
--main:#0072b2;--main-wash:#e8f3fa;--bad:#a84000;--bad-wash:#fbeee6;--add:#e3f3ec;--cut:#fbe9e4}
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf0;--soft:#9aa7b4;--line:#2b333c;--paper:#14191f;--wash:#1b222a;
--main:#6cbdec;--main-wash:#14303f;--bad:#eeb04a;--bad-wash:#38290f;--add:#12342a;--cut:#40201a}}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,
"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
main,header,footer{max-width:1160px;margin:0 auto;padding:0 24px}
header{padding-top:36px}
h1{font-size:30px;line-height:1.2;margin:2px 0 6px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:20px;margin:44px 0 10px;padding-top:14px;border-top:1px solid var(--line)}
h3{font-size:15px;margin:22px 0 6px}
p{margin:8px 0;max-width:75ch}
a{color:var(--main);text-underline-offset:2px}
code,pre{font-family:ui-monospace,SFMono-Regular,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.87em}
.eyebrow{color:var(--soft);font-size:13px;letter-spacing:.06em;text-transform:uppercase;margin:0}
.facts{color:var(--soft);margin:0;max-width:none;overflow-wrap:anywhere}
.facts b{color:var(--ink);font-weight:600}
nav{margin:16px 0 0;font-size:14px;display:flex;flex-wrap:wrap}
nav a{margin-right:18px;text-decoration:none;white-space:nowrap}
nav a:hover{text-decoration:underline}
.decision{margin:26px 0 18px;padding:16px 20px;background:var(--main-wash);border-left:5px solid var(--main);
border-radius:4px;overflow-wrap:anywhere}
.decision p{margin:0;font-size:19px;line-height:1.4;font-weight:600}
.decision ul{margin:10px 0 0;padding-left:20px}
.tiles{display:grid;grid-template-columns:2fr 1fr 1fr 1fr;gap:12px;margin:0 0 8px}
.tile{border:1px solid var(--line);border-radius:6px;padding:12px 16px;background:var(--wash);min-width:0}
.tile b{display:block;font-size:24px;line-height:1.25;font-weight:650}
.tile .big{font-size:40px;line-height:1.1;letter-spacing:-.02em}
.tile span{display:block;color:var(--soft);font-size:13px}
.lead{display:flex;justify-content:space-between;align-items:flex-end;gap:16px}
.spark{flex:0 0 150px;padding-bottom:4px}
.note{border:1px solid var(--line);border-left:5px solid var(--bad);border-radius:4px;padding:10px 16px;
background:var(--bad-wash)}
.alarm{margin:26px 0 0;padding:14px 20px;background:var(--bad);color:var(--paper);border-radius:4px;
overflow-wrap:anywhere}
.alarm p{margin:0;font-size:19px;line-height:1.4;font-weight:700}
figure{margin:14px 0 6px}
figcaption{color:var(--soft);font-size:13.5px;margin-top:8px;max-width:80ch}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:10px 0;font-size:14px}
caption{text-align:left;color:var(--soft);font-size:13.5px;padding-bottom:6px}
th{text-align:left;font-weight:600;font-size:12.5px;color:var(--soft);border-bottom:1px solid var(--soft);
padding:6px 10px 6px 0;vertical-align:bottom}
th[scope=row]{border-bottom-color:var(--line);padding:7px 10px 7px 0;vertical-align:top}
td{border-bottom:1px solid var(--line);padding:7px 10px 7px 0;vertical-align:top;overflow-wrap:anywhere}
th.number,td.number{text-align:right;white-space:nowrap;padding-right:16px;overflow-wrap:normal}
th:last-child,td:last-child{padding-right:0}
.candidates td:nth-child(2){width:20%}
.candidates td:nth-child(3){width:28%}
.candidates td:nth-child(5){width:38%}
tr.promoted td{background:var(--main-wash)}
tr.promoted td:first-child{box-shadow:inset 4px 0 var(--main)}
td:first-child.number{padding-left:8px}
tr:target td{outline:2px solid var(--main);outline-offset:-1px}
.minor{display:block;color:var(--soft);font-size:13px}
.badge{display:inline-block;border:1px solid currentColor;border-radius:10px;padding:0 9px;font-size:12.5px;
line-height:19px;font-weight:600;white-space:nowrap}
.badge.gain{color:var(--main)}
.badge.won{color:var(--paper);background:var(--main);border-color:var(--main)}
.badge.kept,.badge.neutral{color:var(--soft)}
.badge.failure{color:var(--bad)}
.slower{color:var(--bad);font-weight:600}
.counts{list-style:none;display:flex;flex-wrap:wrap;gap:8px 14px;padding:0;margin:10px 0}
details{margin:12px 0}
summary{cursor:pointer;font-weight:600;color:var(--main)}
pre{background:var(--wash);border:1px solid var(--line);border-radius:6px;padding:12px 14px;overflow-x:auto;
line-height:1.45;tab-size:4;margin:8px 0}
pre .add{background:var(--add)}
pre .cut{background:var(--cut)}
pre .add,pre .cut,pre .where{display:inline-block;min-width:100%}
pre .where{color:var(--soft)}
dt{font-weight:600;margin-top:10px}
dd{margin:2px 0 0;max-width:75ch}
footer{color:var(--soft);font-size:13px;margin-top:48px;padding-bottom:40px}
@media (max-width:760px){.tiles{grid-template-columns:1fr 1fr}.tile:first-child{grid-column:1 / -1}
main,header,footer{padding-left:16px;padding-right:16px}}
@media print{body{font-size:10.5pt}nav{display:none}main,header,footer{max-width:none;padding:0}
h2{break-after:avoid}figure,tr,.tile,.decision{break-inside:avoid}thead{display:table-header-group}
.scroll{overflow:visible}pre{white-space:pre-wrap}details::details-content{content-visibility:visible;display:block}
*{print-color-adjust:exact}}
)";
}

}  // namespace assay::report

// The script of giga's report. It draws the charts whose Vega-Lite specs are in the page's data block, and
// answers the reader: tooltips, zoom, the choice of a coefficient.
//
// Expressions are run by Vega's interpreter, never compiled, so that the page's Content-Security-Policy needs
// no 'unsafe-eval'. Whatever comes from the data is set as text, never as markup.
import {View} from 'vega-view';
import {parse} from 'vega-parser';
import {transforms} from 'vega-dataflow';
import * as dataTransforms from 'vega-transforms';
import * as viewTransforms from 'vega-view-transforms';
import * as encodeTransforms from 'vega-encode';
import {compile} from 'vega-lite';
import {expressionInterpreter} from 'vega-interpreter';

Object.assign(transforms, dataTransforms, viewTransforms, encodeTransforms);

const page = JSON.parse(document.getElementById('report-data').textContent);
const runtimes = new Map();  // by the name of the spec: several charts may share one
const views = new Map();     // by the element of the chart

// ---- the numbers of a coefficient, from their compact form to rows

function densityRows(density) {
  const rows = [];
  for (const [of, heights] of Object.entries(density.curves)) {
    heights.forEach((height, i) => rows.push({of, x: density.first + i * density.step, density: height}));
  }
  return rows;
}

// Both as tall as the other: a prior is often a thousand times as wide as the posterior.
function priorRows({density, prior}) {
  const rows = [];
  const add = (of, first, step, heights) => {
    const most = Math.max(...heights);
    heights.forEach((height, i) => rows.push({of, x: first + i * step, height: height / most}));
  };
  const heights = density.curves.corrected ?? density.curves.coreset ?? density.curves.laplace;
  if (heights) add('posterior', density.first, density.step, heights);
  if (prior) add('prior', prior.first, prior.step, prior.heights);
  return rows;
}

function traceRows(chains) {
  return chains.flatMap((values, c) =>
    values.map((value, i) => ({chain: String(c + 1), draw: 1 + i * page.trace_step, value})));
}

function rankRows(chains) {
  return chains.flatMap((counts, c) => counts.map((count, bin) => ({
    chain: String(c + 1), bin: bin + 1, count,
    first: bin / counts.length, last: (bin + 1) / counts.length,
  })));
}

const rowsOf = {
  density: k => densityRows(page.coefficients[k].density),
  prior: k => priorRows(page.coefficients[k]),
  trace: k => traceRows(page.coefficients[k].trace),
  rank: k => rankRows(page.coefficients[k].ranks),
};

// ---- tooltips

const tip = document.getElementById('tooltip');

function showTooltip(handler, event, item, value) {
  if (value === null || value === undefined || value === '') {
    tip.hidden = true;
    return;
  }
  const list = document.createElement('dl');
  for (const [key, text] of Object.entries(typeof value === 'object' ? value : {'': value})) {
    const term = document.createElement('dt');
    const definition = document.createElement('dd');
    term.textContent = key;
    definition.textContent = String(text);
    list.append(term, definition);
  }
  tip.replaceChildren(list);
  tip.hidden = false;
  const room = tip.getBoundingClientRect();
  const right = event.clientX + 14 + room.width <= document.documentElement.clientWidth;
  const below = event.clientY + 14 + room.height <= document.documentElement.clientHeight;
  tip.style.left = Math.max(4, right ? event.clientX + 14 : event.clientX - 14 - room.width) + 'px';
  tip.style.top = Math.max(4, below ? event.clientY + 14 : event.clientY - 14 - room.height) + 'px';
}

document.addEventListener('keydown', event => {
  if (event.key === 'Escape') tip.hidden = true;
});
document.addEventListener('scroll', () => { tip.hidden = true; }, {passive: true});

// ---- zoom: the buttons do what wheel and drag do, for the axis across

// A zoomable chart has the parameter `zoom`, bound to the scale x; null is the scale's own domain.
function setDomain(view, domain) {
  const field = page.specs[view.gigaSpec].encoding_x;
  view.signal('zoom_' + field, domain).runAsync();
}

function zoom(view, factor) {
  const scale = view.scale('x');
  const [from, to] = scale.range();
  const centre = (from + to) / 2, half = (to - from) / 2 * factor;
  setDomain(view, [scale.invert(centre - half), scale.invert(centre + half)]);
}

function addZoomButtons(chart, view) {
  const bar = document.createElement('div');
  bar.className = 'zoom';
  const title = chart.getAttribute('aria-label');
  const add = (text, label, act) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text;
    button.title = label;
    button.setAttribute('aria-label', label + ': ' + title);
    button.addEventListener('click', act);
    bar.append(button);
  };
  add('+', 'Zoom in', () => zoom(view, 1 / 1.5));
  add('\u2212', 'Zoom out', () => zoom(view, 1.5));
  add('Reset', 'Show everything', () => setDomain(view, null));
  chart.before(bar);
}

// ---- drawing

function runtimeOf(name) {
  if (!runtimes.has(name)) {
    const spec = compile(page.specs[name].spec, {config: page.config}).spec;
    runtimes.set(name, parse(spec, {}, {ast: true}));
  }
  return runtimes.get(name);
}

// Labels that are a part of a name say the whole of it to those who point at them.
function addTitles(chart, titles) {
  const whole = new Map(Object.entries(titles));
  for (const label of chart.querySelectorAll('.role-axis-label text')) {
    if (!whole.has(label.textContent)) continue;
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = whole.get(label.textContent);
    label.dataset.title = '';
    label.append(title);
  }
}

async function draw(chart) {
  const name = chart.dataset.spec;
  const view = new View(runtimeOf(name), {
    expr: expressionInterpreter,
    renderer: 'svg',
    container: chart,
    hover: true,
    tooltip: showTooltip,
  });
  view.gigaSpec = name;
  if (chart.dataset.coefficient !== undefined) {
    view.data('rows', rowsOf[name](Number(chart.dataset.coefficient)));
  }
  await view.runAsync();
  views.set(chart, view);
  if (page.specs[name].encoding_x) addZoomButtons(chart, view);
  if (page.specs[name].titles) addTitles(chart, page.specs[name].titles);
}

// Another spec in the place of a chart.
async function redraw(chart, name) {
  chart.dataset.spec = name;
  if (!views.has(chart)) return;  // it will be drawn with this one
  views.get(chart).finalize();
  views.delete(chart);
  if (chart.previousElementSibling?.className === 'zoom') chart.previousElementSibling.remove();
  chart.replaceChildren();
  try {
    await draw(chart);
  } catch (error) {
    fail(chart, error);
  }
}

function fail(chart, error) {
  chart.textContent = 'This chart could not be drawn; its numbers are in the table below it.';
  console.error(error);
}

// One chart a task, so that the page answers while it is being drawn.
async function drawAll() {
  for (const chart of document.querySelectorAll('.chart')) {
    try {
      await draw(chart);
    } catch (error) {
      fail(chart, error);
    }
    await new Promise(resolve => setTimeout(resolve));
  }
  document.documentElement.dataset.charts = 'drawn';
}

// ---- the choice of a coefficient

function choose(k) {
  for (const place of document.querySelectorAll('.chosen-name')) {
    place.textContent = page.coefficients[k].name;
  }
  for (const chart of document.querySelectorAll('.chart.chosen')) {
    const view = views.get(chart);
    chart.dataset.coefficient = k;
    if (!view) continue;  // it will be drawn with this one
    view.data('rows', rowsOf[chart.dataset.spec](k)).runAsync();
    if (page.specs[chart.dataset.spec].encoding_x) setDomain(view, null);
  }
}

const choice = document.getElementById('coefficient');
if (choice) {
  choice.disabled = false;
  choose(Number(choice.value));  // a browser may have kept an earlier choice
  choice.addEventListener('change', () => choose(Number(choice.value)));
}

drawAll().then(() => {
  const scale = document.getElementById('forest-scale');
  if (!scale) return;
  const chart = document.querySelector('.chart[data-spec="forest"]');
  scale.disabled = false;
  scale.addEventListener('change', () => redraw(chart, scale.value));
});

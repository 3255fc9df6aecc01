// page.test.mjs CHROMIUM FOLDER: opens the pages that make_pages wrote and looks at them as a reader would.
// Ends with 0 only if every claim below came true.
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expectNoFault, launch, openReport} from './reports.mjs';

const [executablePath, folder] = process.argv.slice(2);
const browser = await launch(executablePath);
const open = (name, options) => openReport(browser, join(folder, name), options);

// Marks of each chart, axes and legends not counted.
const markCounts = page => page.evaluate(() => [...document.querySelectorAll('.chart')].map(chart => ({
  spec: chart.dataset.spec,
  marks: chart.querySelectorAll(
    'g.mark-line.role-mark path, g.mark-area.role-mark path, g.mark-rect.role-mark path, ' +
    'g.mark-symbol.role-mark path, g.mark-rule.role-mark line, g.mark-text.role-mark text').length,
})));

// The words along the axes of a chart, in no order: they change when its scale does.
const axisWords = (page, spec) => page.evaluate(name =>
  [...document.querySelectorAll(`.chart[data-spec="${name}"] .role-axis-label text`)].map(t => t.textContent)
    .sort().join(' '),
spec);

// Once what the page says has changed from `before`.
async function changed(page, spec, before) {
  for (let attempt = 0; attempt < 100; ++attempt) {
    const now = await axisWords(page, spec);
    if (now !== before) return now;
    await page.waitForTimeout(20);
  }
  return before;
}

// Scrolling hides a tooltip, so hovering waits until it is over.
async function bringIntoView(page, locator) {
  await locator.scrollIntoViewIfNeeded();
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const claims = {
  async 'every chart is drawn with marks in it, without an error, a request or a violation'() {
    for (const name of ['plain.html', 'hostile.html', 'large.html', 'long.html']) {
      const opened = await open(name);
      const counts = await markCounts(opened.page);
      assert.deepEqual(new Set(counts.map(c => c.spec)),
        new Set(['forest', 'density', 'prior', 'error', 'weights', 'trace', 'rank', 'stages', 'cost']));
      for (const {spec, marks} of counts) assert.ok(marks > 0, `${name}: ${spec} has no marks`);
      await expectNoFault(opened);
      await opened.close();
    }
  },

  async 'marks are as many as the data'() {
    const {page, close} = await open('plain.html');
    const marks = Object.fromEntries((await markCounts(page)).map(c => [c.spec, c.marks]));
    assert.equal(marks.weights, 60);     // a bar a point
    assert.equal(marks.forest, 6 * 4 + 1);  // a line, a dot and two arrows a coefficient, and the line at zero
    assert.equal(marks.rank, 4 * 20 + 1);
    const lines = await page.evaluate(() => [...document.querySelectorAll('.chart[data-spec="prior"]')]
      .map(chart => chart.querySelectorAll('g.mark-line.role-mark path').length));
    assert.deepEqual(lines, Array(6).fill(2));  // prior and posterior
    assert.equal(marks.trace, 4);
    assert.equal(marks.stages, 3 * 2);  // a bar and its text
    await close();
  },

  async 'the check of the model is drawn, calm or in doubt'() {
    for (const [name, bins] of [['model.html', 10], ['doubt.html', 2]]) {
      const opened = await open(name);
      const {page} = opened;
      const count = (await markCounts(page)).find(c => c.spec === 'model').marks;
      assert.equal(count, 2 * bins + 2);  // a rule and a point a bin, the band and the line where the model is right
      assert.equal(await page.locator('.verdict.doubt').count(), name === 'doubt.html' ? 1 : 0);
      assert.equal(await page.locator('.verdict.calm').count(), name === 'doubt.html' ? 0 : 1);
      const point = page.locator('.chart[data-spec="model"] g.mark-symbol.role-mark path').first();
      await bringIntoView(page, point);
      await point.hover();
      await page.locator('#tooltip').waitFor({state: 'visible'});
      assert.match(await page.locator('#tooltip').innerText(), /5% to 95% of replicates/);
      await expectNoFault(opened);
      await opened.close();
    }
  },

  async 'a tooltip shows on hover and goes away'() {
    const opened = await open('plain.html');
    const {page} = opened;
    const bar = page.locator('.chart[data-spec="weights"] g.mark-rect.role-mark path').first();
    await bringIntoView(page, bar);
    assert.equal(await page.locator('#tooltip').isVisible(), false);
    await bar.hover();
    await page.locator('#tooltip').waitFor({state: 'visible'});
    const text = await page.locator('#tooltip').innerText();
    assert.match(text, /row\s+0\b/);
    assert.match(text, /weight\s+900\b/);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#tooltip').isVisible(), false);
    await expectNoFault(opened);
    await opened.close();
  },

  async 'wheel with Ctrl, drag and buttons move the scale, and reset brings it back'() {
    const opened = await open('plain.html');
    const {page} = opened;
    for (const spec of ['error', 'weights', 'forest', 'trace']) {
      const chart = page.locator(`.chart[data-spec="${spec}"]`);
      const bar = chart.locator('xpath=preceding-sibling::div[@class="zoom"]');
      await bringIntoView(page, chart);
      const whole = await axisWords(page, spec);
      await bar.getByRole('button', {name: 'Zoom in'}).click();
      const closer = await changed(page, spec, whole);
      assert.notEqual(closer, whole, `${spec}: zoom in`);
      await bar.getByRole('button', {name: 'Show everything'}).click();
      assert.equal(await changed(page, spec, closer), whole, `${spec}: reset`);

      const box = await chart.boundingBox();
      const [x, y] = [box.x + box.width * 0.6, box.y + box.height * 0.5];
      await page.mouse.move(x, y);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -400);
      await page.keyboard.up('Control');
      const wheeled = await changed(page, spec, whole);
      assert.notEqual(wheeled, whole, `${spec}: wheel`);
      await page.mouse.down();
      await page.mouse.move(x - 150, y, {steps: 8});
      await page.mouse.up();
      const dragged = await changed(page, spec, wheeled);
      assert.notEqual(dragged, wheeled, `${spec}: drag`);
      await bar.getByRole('button', {name: 'Show everything'}).click();
      assert.equal(await changed(page, spec, dragged), whole, `${spec}: reset after drag`);
    }
    await expectNoFault(opened);
    await opened.close();
  },

  async 'the wheel alone scrolls the page'() {
    const {page, close} = await open('plain.html');
    const chart = page.locator('.chart[data-spec="error"]');
    await bringIntoView(page, chart);
    const whole = await axisWords(page, 'error');
    await chart.hover();
    const from = await page.evaluate(() => window.scrollY);
    await page.mouse.wheel(0, 200);
    await page.waitForFunction(y => window.scrollY !== y, from);
    assert.equal(await axisWords(page, 'error'), whole);
    await close();
  },

  async 'choosing a coefficient changes its charts'() {
    const opened = await open('plain.html');
    const {page} = opened;
    await page.selectOption('#coefficient', '1');
    assert.equal(await page.locator('.chosen-name').first().textContent(), 'feature_2');
    const two = await changed(page, 'trace', '');
    await page.selectOption('#coefficient', '5');
    assert.equal(await page.locator('.chosen-name').first().textContent(), 'feature_6');
    assert.notEqual(await changed(page, 'trace', two), two);
    await expectNoFault(opened);
    await opened.close();
  },

  async 'coefficients are shown standardised by choice, and can be zoomed on both scales'() {
    const opened = await open('plain.html');
    const {page} = opened;
    const rows = spec => page.locator(`.chart[data-spec="${spec}"] .role-axis-label text`);
    await page.locator('#forest-scale').scrollIntoViewIfNeeded();
    const data = await axisWords(page, 'forest');
    await page.selectOption('#forest-scale', 'forest_standardised');
    await rows('forest_standardised').first().waitFor();
    const standardised = await axisWords(page, 'forest_standardised');
    assert.notEqual(standardised, data);
    assert.match(standardised, /\u221220|-20|\u221215|-15/);
    const bars = page.locator('#coefficients .zoom');
    assert.equal(await bars.count(), 1);
    await bars.getByRole('button', {name: 'Zoom in'}).click();
    assert.notEqual(await changed(page, 'forest_standardised', standardised), standardised);
    await page.selectOption('#forest-scale', 'forest');
    await rows('forest').first().waitFor();
    assert.equal(await axisWords(page, 'forest'), data);
    assert.equal(await bars.count(), 1);
    await expectNoFault(opened);
    await opened.close();
  },

  async 'no interval leaves the axis before it is zoomed'() {
    for (const name of ['plain.html', 'large.html', 'long.html']) {
      const {page, close} = await open(name);
      const outside = await page.evaluate(() => {
        const chart = document.querySelector('.chart[data-spec="forest"]');
        const room = chart.querySelector('.mark-group.role-frame .background, .mark-group.role-frame path')
          .getBoundingClientRect();
        return [...chart.querySelectorAll('g.mark-rule.role-mark line')]
          .map(line => line.getBoundingClientRect())
          .filter(box => box.left < room.left - 2 || box.right > room.right + 2).length;
      });
      assert.equal(outside, 0, name);
      await close();
    }
  },

  async 'arrows mark the intervals that a zoomed axis cuts off'() {
    const {page, close} = await open('plain.html');
    const arrows = () => page.evaluate(() =>
      [...document.querySelectorAll('.chart[data-spec="forest"] g.mark-symbol.role-mark path')]
        .filter(path => getComputedStyle(path).fill === getComputedStyle(document.querySelector('.two')).stroke)
        .filter(path => path.getAttribute('opacity') !== '0').length);
    assert.equal(await arrows(), 0);
    const whole = await axisWords(page, 'forest');
    await page.locator('#coefficients .zoom').getByRole('button', {name: 'Zoom in'}).click();
    await changed(page, 'forest', whole);
    assert.ok(await arrows() > 0);
    await close();
  },

  async 'long names beside the plot differ, and say the whole of themselves'() {
    const {page, close} = await open('long.html');
    const labels = await page.evaluate(() =>
      [...document.querySelectorAll('.chart[data-spec="forest"] .role-axis-label text')]
        .filter(text => text.textContent.includes('\u2026'))
        .map(text => ({
          shown: [...text.childNodes].filter(n => n.nodeType === Node.TEXT_NODE).map(n => n.data).join(''),
          whole: text.querySelector('title')?.textContent,
          pointed: getComputedStyle(text).pointerEvents,
        })));
    assert.equal(labels.length, 3);
    assert.equal(new Set(labels.map(l => l.shown)).size, 3);
    for (const {shown, whole, pointed} of labels) {
      assert.match(shown, /^origin.*(JFK|LGA|EWR)/);
      assert.match(whole, /^origin_airport_of_the_flight(JFK|LGA|EWR)_by_scheduled_hour_of_departure$/);
      assert.equal(pointed, 'all');
    }
    await close();
  },

  async 'hostile names stay text'() {
    const opened = await open('hostile.html');
    const {page} = opened;
    const found = await page.evaluate(() => ({
      scripts: document.querySelectorAll('script').length,
      injected: document.querySelectorAll('body img, body b, body iframe, body object, [onerror]').length,
      rows: [...document.querySelectorAll('#coefficients .table tbody th')].map(th => th.textContent),
      labels: [...document.querySelectorAll('.chart[data-spec="forest"] .role-axis-label text')].map(t => t.textContent),
    }));
    assert.equal(found.scripts, 2);
    assert.equal(found.injected, 0);
    for (const name of ['<script>alert(1)</script>', '</script><img src=x onerror=alert(2)>', "=cmd()|' /C calc'!A0"]) {
      assert.ok(found.rows.includes(name), `no row ${name}`);
    }
    assert.ok(found.labels.some(label => label.includes('<script>') || label.includes('<img')), 'markup in an axis');
    for (let k = 0; k < 15; ++k) await page.selectOption('#coefficient', String(k));
    await page.selectOption('#coefficient', '0');
    assert.equal(await page.locator('.chosen-name').first().textContent(), '<script>alert(1)</script>');
    const dot = page.locator('.chart[data-spec="forest"] g.mark-symbol.role-mark path').last();
    await bringIntoView(page, dot);
    await dot.hover();
    await page.locator('#tooltip').waitFor({state: 'visible'});
    assert.match(await page.locator('#tooltip').innerText(), /<script>alert\(1\)<\/script>/);
    await expectNoFault(opened);
    await opened.close();
  },

  async 'nothing is wider than a phone, in light and dark'() {
    for (const colorScheme of ['light', 'dark']) {
      for (const name of ['plain.html', 'hostile.html', 'long.html']) {
        const opened = await open(name, {viewport: {width: 390, height: 844}, colorScheme});
        const {page} = opened;
        const [width, room] = await page.evaluate(() =>
          [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.ok(width <= room, `${name}: ${width} px on ${room}`);
        const widest = await page.evaluate(() =>
          Math.max(...[...document.querySelectorAll('.chart svg')].map(svg => svg.getBoundingClientRect().right)));
        assert.ok(widest <= 390, `${name}: a chart ends at ${widest}`);
        await expectNoFault(opened);
        await opened.close();
      }
    }
  },

  async 'charts follow the width of the window'() {
    const {page, close} = await open('plain.html');
    const width = () => page.evaluate(() =>
      document.querySelector('.chart[data-spec="error"] svg').getBoundingClientRect().width);
    const wide = await width();
    await page.setViewportSize({width: 600, height: 900});
    await page.waitForFunction(w =>
      document.querySelector('.chart[data-spec="error"] svg').getBoundingClientRect().width < w - 100, wide);
    await close();
  },

  async 'dark, light and print differ in colour without redrawing'() {
    const {page, close} = await open('plain.html', {colorScheme: 'light'});
    const colours = () => page.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('.chart[data-spec="weights"] g.mark-rect.role-mark path')).fill,
      getComputedStyle(document.querySelector('.chart[data-spec="weights"] .role-axis-label text')).fill,
    ]);
    const light = await colours();
    await page.emulateMedia({colorScheme: 'dark'});
    const dark = await colours();
    await page.emulateMedia({colorScheme: 'dark', media: 'print'});
    const print = await colours();
    light.forEach((colour, i) => assert.notEqual(colour, dark[i]));
    assert.equal(print[0], 'rgb(255, 255, 255)');
    assert.equal(print[1], light[1]);
    await close();
  },

  async 'every chart has a name, a heading and its numbers; tables are readable without the script'() {
    const context = await browser.newContext({javaScriptEnabled: false});
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, 'plain.html')).href);
    assert.ok(await page.getByText('feature_3').first().isVisible());
    assert.ok(await page.getByRole('table').first().isVisible());
    const charts = await page.getByRole('img').count();
    assert.equal(await page.getByRole('img', {name: /^Chart: ./}).count(), charts);
    await context.close();
  },
};

let failed = 0;
for (const [claim, test] of Object.entries(claims)) {
  try {
    await test();
    console.log(`ok      ${claim}`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${claim}\n${error.stack}`);
  }
}
await browser.close();
process.exitCode = failed === 0 ? 0 : 1;

// browser.mjs CHROMIUM FOLDER: opens every report of the folder, uses what can be used in it, and ends with 0 only if none asked
// for anything, raised a dialog, broke its policy, had an error or left its address.
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {expectNoFault, launch, openReport} from '../report/browser/reports.mjs';

const [executablePath, folder] = process.argv.slice(2);
const browser = await launch(executablePath);
const names = readdirSync(folder).filter(name => name.endsWith('.html')).sort();
assert.ok(names.length > 50, `only ${names.length} reports`);
for (const name of names) {
  const opened = await openReport(browser, join(folder, name));
  const {page, address} = opened;
  // The reports of all names at once are used, too: every coefficient, every fold, a tooltip.
  if (!name.startsWith('tampered')) {
    await page.evaluate(() => document.querySelectorAll('details').forEach(each => { each.open = true; }));
    const options = await page.locator('#coefficient option').count();
    for (let k = 0; k < options; ++k) await page.selectOption('#coefficient', {index: k});
    const dot = page.locator('.chart[data-spec="forest"] g.mark-symbol.role-mark path').last();
    await dot.scrollIntoViewIfNeeded();
    await page.waitForTimeout(100);
    await dot.hover();
    await page.locator('#tooltip').waitFor({state: 'visible'});
  }
  const found = await page.evaluate(() => ({
    scripts: document.scripts.length,
    handlers: [...document.querySelectorAll('*')].flatMap(each => [...each.attributes])
      .filter(attribute => attribute.name.startsWith('on')).length,
    // Vega adds an empty form to a chart.
    loads: document.querySelectorAll(
      '[src], iframe, object, embed, link, base, form:not(.vega-bindings:empty), img, image').length,
    links: [...document.querySelectorAll('a[href], use')].map(each => each.getAttribute('href')).filter(href => !href.startsWith('#')),
    address: location.href,
  }));
  await expectNoFault(opened, name);
  assert.deepEqual(found, {scripts: 2, handlers: 0, loads: 0, links: [], address}, name);
  await opened.close();
}
console.log(`${names.length} reports: no request, no dialog, no violation of the policy`);
await browser.close();

// browser.mjs CHROMIUM FOLDER: opens every report of the folder, uses what can be used in it, and ends with 0 only if none asked
// for anything, raised a dialog, broke its policy, had an error or left its address.
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const {chromium} = createRequire(join(here, '../report/browser/package.json'))('playwright-core');
const [executablePath, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'],
});
const context = await browser.newContext({viewport: {width: 1100, height: 900}, reducedMotion: 'reduce'});
await context.addInitScript(() => {
  window.violations = [];
  document.addEventListener('securitypolicyviolation', event => {
    window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
});

const names = readdirSync(folder).filter(name => name.endsWith('.html')).sort();
assert.ok(names.length > 50, `only ${names.length} reports`);
let requests = 0;
for (const name of names) {
  const page = await context.newPage();
  const faults = [];
  const address = pathToFileURL(join(folder, name)).href;
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', error => faults.push(`error: ${error}`));
  page.on('dialog', dialog => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', request => {
    if (request.url() === address) return;
    ++requests;
    faults.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.charts === 'drawn');
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
    violations: window.violations,
    scripts: document.scripts.length,
    handlers: [...document.querySelectorAll('*')].flatMap(each => [...each.attributes])
      .filter(attribute => attribute.name.startsWith('on')).length,
    loads: document.querySelectorAll('[src], iframe, object, embed, link, base, form, img, image').length,
    links: [...document.querySelectorAll('a[href], use')].map(each => each.getAttribute('href')).filter(href => !href.startsWith('#')),
    address: location.href,
  }));
  assert.deepEqual(faults, [], name);
  assert.deepEqual(found, {violations: [], scripts: 2, handlers: 0, loads: 0, links: [], address}, name);
  await page.close();
}
console.log(`${names.length} reports: ${requests} requests, no dialog, no violation of the policy`);
await browser.close();

// Reports in a real browser: the browser, and a page that was drawn together with all that went wrong on the way.
import assert from 'node:assert/strict';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const launch = executablePath => chromium.launch({
  executablePath,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'],
});

// `options` are those of a context: width, colours and so on.
export async function openReport(browser, path, options = {}) {
  const context = await browser.newContext({viewport: {width: 1100, height: 900}, reducedMotion: 'reduce', ...options});
  const page = await context.newPage();
  const faults = [];
  const address = pathToFileURL(path).href;
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', error => faults.push(`error: ${error}`));
  page.on('dialog', dialog => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', request => {
    if (request.url() !== address) faults.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', event => {
      window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.charts === 'drawn');
  return {page, faults, address, close: () => context.close()};
}

export async function expectNoFault({page, faults}, words) {
  assert.deepEqual(faults, [], words);
  assert.deepEqual(await page.evaluate(() => window.violations), [], words);
}

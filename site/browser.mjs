// browser.mjs CHROMIUM SITE [PICTURES]: opens every page of the site, from file:// in light and in dark, and from a server on
// this machine. Ends with 0 only if no page asks another host for anything, none has an error, and search finds what is there.
// With PICTURES, a folder, some pages are kept there as pictures.
import assert from 'node:assert/strict';
import {createReadStream, existsSync, mkdirSync, readdirSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {extname, join, resolve, sep} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const {chromium} = createRequire(join(here, '../tests/report/browser/package.json'))('playwright-core');
const [executablePath, folder, pictures] = process.argv.slice(2);
const site = resolve(folder);
if (pictures) mkdirSync(pictures, {recursive: true});

const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png',
               '.json': 'application/json', '.ipynb': 'application/json'};
const server = createServer((request, response) => {
  const path = join(site, decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  if (path === join(site, 'favicon.ico')) {  // browsers ask for it by themselves where a page names no icon
    response.writeHead(204).end();
    return;
  }
  if (!path.startsWith(site) || !existsSync(path) || statSync(path).isDirectory()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {'content-type': types[extname(path)] ?? 'application/octet-stream'});
  createReadStream(path).pipe(response);
}).listen(0, '127.0.0.1');
await new Promise(done => server.once('listening', done));
const served = `http://127.0.0.1:${server.address().port}/`;
const local = pathToFileURL(site + sep).href;

const browser = await chromium.launch({
  executablePath,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync'],
});

let requests = 0;
// A context whose pages report every request to another host, every error and every dialog.
async function context(base, colorScheme, faults, width = 1280) {
  const opened = await browser.newContext({colorScheme, viewport: {width, height: 900}, reducedMotion: 'reduce'});
  opened.on('request', request => {
    ++requests;
    const url = request.url();
    if (!url.startsWith(base) && !/^(data|blob|about):/.test(url)) faults.push(`request: ${url}`);
  });
  opened.on('requestfailed', request => {
    if (!/ERR_ABORTED/.test(request.failure().errorText)) faults.push(`failed: ${request.url()}`);
  });
  opened.on('page', page => {
    page.on('console', message => {
      if (message.type() === 'error') faults.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', error => faults.push(`${page.url()}: ${error}`));
    page.on('dialog', dialog => {
      faults.push(`${page.url()}: dialog ${dialog.message()}`);
      dialog.dismiss();
    });
  });
  return opened;
}

// All pages but those of the reference, of which there are a thousand of three kinds.
const all = readdirSync(site, {recursive: true}).map(String).filter(name => name.endsWith('.html')).sort();
const own = all.filter(name => !name.startsWith('reference' + sep) && name !== '404.html');
const some = ['index.html', 'annotated.html', 'files.html'].map(name => join('reference', name)).filter(name => all.includes(name));

for (const [base, colours] of [[local, ['light', 'dark']], [served, ['light']]]) {
  for (const colour of colours) {
    const faults = [];
    const opened = await context(base, colour, faults);
    const page = await opened.newPage();
    for (const name of [...own, ...some]) {
      await page.goto(base + name.split(sep).join('/'));
      if (name.startsWith('gallery' + sep) && !name.endsWith('index.html'))
        await page.waitForFunction(() => document.documentElement.dataset.charts === 'drawn');
      else if (!name.startsWith('reference'))
        assert.equal(await page.locator('body').getAttribute('data-md-color-scheme'), colour === 'dark' ? 'slate' : 'default', name);
      // A page as wide as its window: wide tables and code scroll by themselves.
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (!name.startsWith('reference') && wide > 1) faults.push(`${name}: ${wide} pixels wider than the window`);
    }
    assert.deepEqual(faults, []);
    await opened.close();
  }
}

// Search, from a file and from a server, on a page that is not the first.
for (const base of [local, served]) {
  const faults = [];
  const opened = await context(base, 'light', faults);
  const page = await opened.newPage();
  await page.goto(base + 'docs/tutorial.html');
  await page.locator('input[name=query]').click();
  await page.locator('input[name=query]').pressSequentially('negative_binomial', {delay: 20});
  const result = page.locator('.md-search-result__item > .md-search-result__link[href*="docs/models.html"]').first();
  await result.waitFor({timeout: 60000});
  if (pictures) await page.screenshot({path: join(pictures, base === local ? 'search-file.png' : 'search-http.png')});
  await result.click();
  await page.waitForURL(/docs\/models\.html/);
  assert.deepEqual(faults, []);
  await opened.close();
}

if (pictures) {
  const shown = ['index.html', 'docs/index.html', 'docs/tutorial.html', 'docs/models.html', 'docs/groups.html', 'docs/reproduction.html',
                 'docs/python-tutorial.html', 'docs/security.html', 'docs/limits.html', 'gallery/index.html', 'gallery/not-certified.html',
                 'gallery/wrong-model.html', 'gallery/groups.html', 'reference.html', 'examples/own_model.html', 'reference/index.html',
                 'reference/files.html', 'reference/structgiga_1_1CoresetOptions.html', 'CHANGELOG.html'];
  for (const [colour, width] of [['light', 1280], ['dark', 1280], ['dark', 390]]) {
    const opened = await context(local, colour, [], width);
    const page = await opened.newPage();
    for (const name of shown.filter(each => existsSync(join(site, each)))) {
      await page.goto(local + name);
      await page.waitForTimeout(300);
      await page.screenshot({path: join(pictures, `${name.replaceAll('/', '-').replace('.html', '')}-${colour}-${width}.png`)});
    }
    await opened.close();
  }
}
console.log(`${own.length + some.length} pages in Chromium, from file:// (light and dark) and http: ${requests} requests, ` +
            'all for the site itself; search works from both');
await browser.close();
server.close();

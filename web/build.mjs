// Bundles src/page.js and what it needs of Vega into one script, and gathers the licences of what is in it.
//
//   npm ci && npm run build             writes ../src/report/page/assets/
//   npm ci && npm run build -- --check  compares instead: the committed files are what the lock file gives
import {existsSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, '../src/report/page/assets');

// vega-lite takes four helpers from the whole of vega; they are vega-util's. Maps are not drawn, so what
// vega-functions has for them is left out, with a name for everything that is imported.
const unused = {
  name: 'unused',
  setup(setup) {
    setup.onResolve({filter: /^vega$/}, args =>
      setup.resolve('vega-util', {kind: args.kind, resolveDir: args.resolveDir}));
    setup.onResolve({filter: /^(d3-geo|d3-geo-projection|topojson-client|d3-dsv)$/}, args =>
      ({path: args.path, namespace: 'left-out'}));
    setup.onLoad({filter: /.*/, namespace: 'left-out'}, () =>
      ({contents: 'module.exports = {};', loader: 'js'}));
  },
};

const {outputFiles, metafile} = await build({
  absWorkingDir: here,
  entryPoints: ['src/page.js'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii',
  legalComments: 'none',
  metafile: true,
  write: false,
  plugins: [unused],
});

// Packages with bytes in the output, each with its licence. One may be there twice, in two versions, the second within
// the folder of a package that needs it.
function packages() {
  const inputs = Object.values(metafile.outputs)[0].inputs;
  const folders = new Set();
  for (const [path, {bytesInOutput}] of Object.entries(inputs)) {
    const match = path.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/);
    if (match && bytesInOutput > 0) folders.add(match[0]);
  }
  const found = [...folders].map(inside => {
    const folder = join(here, inside);
    const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    return {name, version, license, text: readFileSync(join(folder, file), 'utf8').replace(/\r/g, '').trim()};
  });
  const key = ({name, version}) => `${name} ${version}`;
  return found.sort((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

// Equal texts once, under all the packages that have them.
function notices() {
  const byText = new Map();
  for (const {name, version, license, text} of packages()) {
    const words = text.replace(/\s+/g, ' ');
    if (!byText.has(words)) byText.set(words, {text, heads: []});
    byText.get(words).heads.push(`${name} ${version} (${license})`);
  }
  return [...byText.values()].map(({text, heads}) => heads.join('\n') + '\n\n' + text).join('\n\n----\n\n') + '\n';
}

const notice = notices();
const script = `/*! The script of giga's report contains these works:\n\n${notice.replaceAll('*/', '* /')}*/\n` +
  outputFiles[0].text.trim() + '\n';
if (/<\/script|<!--|\r/i.test(script)) throw new Error('the script cannot stand in a page as it is');

const files = {'charts.js': script, 'THIRD_PARTY.txt': notice};
for (const [name, text] of Object.entries(files)) {
  const path = join(assets, name);
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text);
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    console.error(`${name} is not what the lock file gives; run npm run build`);
    process.exitCode = 1;
  }
  console.log(`${name}: ${text.length} bytes`);
}

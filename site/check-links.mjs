import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Every link of every page leads to a file of the site and, with an anchor, to an element of it; the Javadoc checks its own.

const site = process.argv[2]
const pages = readdirSync(site, { recursive: true }).filter((path) => path.endsWith('.html') && !path.includes('javadoc/'))
const texts = new Map(pages.map((path) => [join(site, path), readFileSync(join(site, path), 'utf8')]))
const broken = []
for (const [path, text] of texts) {
  for (const [, href] of text.matchAll(/<a [^>]*href="([^"]*)"/g)) {
    const [target, anchor] = decodeURI(href).split('#')
    if (/^[a-z]+:/.test(target) || target.includes('/javadoc/')) {
      continue
    }
    const found = [target, `${target}index.html`]
      .map((each) => (each.startsWith('/') ? join(site, each) : target ? join(dirname(path), each) : path))
      .find((each) => /\.\w+$/.test(each) && existsSync(each))
    if (!found || (anchor && !texts.get(found)?.includes(`id="${anchor}"`))) {
      broken.push(`${path}: ${href}`)
    }
  }
}
if (broken.length) {
  console.error(`Links that lead nowhere:\n${broken.join('\n')}`)
  process.exit(1)
}

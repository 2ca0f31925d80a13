import { createRequire } from 'node:module'
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

// The pages of the repository as they are: what is a page, and in which order, is what docs/README.md links to.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const pom = read('pom.xml')
const version = pom.match(/<artifactId>limiter-parent<\/artifactId>\s*<version>([^<]+)/)[1]
const home = pom.match(/<project.home>([^<]+)/)[1]
const tag = version.endsWith('-SNAPSHOT') ? 'main' : `v${version}`
// Releases lie beside each other.
const base = `/${version}/`
const files = new Set()
const { resolve: packageFile } = createRequire(import.meta.url)

function read(path) {
  return readFileSync(join(root, path), 'utf8')
}

// The groups and links of an index, in its order.
function sidebar(index) {
  const groups = []
  // The text of a link may be wrapped.
  for (const line of read(index).replace(/\n +/g, ' ').split('\n')) {
    const heading = line.match(/^## (.+)/)
    if (heading) {
      groups.push({ text: heading[1], collapsed: false, items: [] })
    } else if (groups.length) {
      for (const [, text, link] of line.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)) {
        groups.at(-1).items.push({ text: text[0].toUpperCase() + text.slice(1), link: page(normalize(join(dirname(index), link))) })
      }
    }
  }
  return groups.filter((group) => group.items.length)
}

function isPage(path) {
  return path.endsWith('.md') && (path.startsWith('docs/') || !path.includes('/'))
}

// A README is the index of its folder.
function renamed(path) {
  return path.replace('README.zh-CN.md', 'zh-CN.md').replace('README.md', 'index.md')
}

function page(path) {
  return '/' + renamed(path).replace(/(index)?\.md$/, '')
}

// In HTML, Vite takes only paths that begin with a dot as relative.
function dotImages(markdown) {
  markdown.core.ruler.push('dot-images', ({ tokens }) => {
    for (const token of tokens.flatMap((each) => [each, ...(each.children ?? [])])) {
      if (token.type.startsWith('html_')) {
        token.content = token.content.replace(/\b(src|srcset)="(?![a-z]+:|[./])/g, '$1="./')
      }
    }
  })
}

// Links to what is no page lead to a copy of the file, if it is one of the documentation, or to the repository.
function linkFiles(markdown) {
  const render = markdown.renderer.rules.link_open ?? ((tokens, i, options, env, self) => self.renderToken(tokens, i, options))
  markdown.renderer.rules.link_open = (tokens, i, options, env, self) => {
    const token = tokens[i]
    const [target, anchor] = (token.attrGet('href') ?? '').split('#')
    const path = normalize(join(dirname(relative(root, env.realPath ?? env.path)), decodeURI(target)))
    if (target && !/^[a-z]+:/.test(target) && !isPage(path)) {
      if (!existsSync(join(root, path))) {
        throw new Error(`${env.path} links to ${path}, which does not exist`)
      }
      if (path.startsWith('docs/') && statSync(join(root, path)).isFile()) {
        files.add(path)
        token.attrSet('href', base + path)
        token.attrSet('target', '_self')
      } else {
        token.attrSet('href', `${home}/blob/${tag}/${path}${anchor ? '#' + anchor : ''}`)
        token.attrSet('target', '_blank')
      }
      return self.renderToken(tokens, i, options)
    }
    if (isPage(path)) {
      token.attrSet('href', renamed(token.attrGet('href')))
    }
    return render(tokens, i, options, env, self)
  }
}

export default defineConfig({
  title: 'Limiter',
  description: 'A distributed rate limiter for Java and Spring',
  srcDir: root,
  srcExclude: ['**/target/**', '**/node_modules/**', 'limiter-*/**', 'lab/**', 'examples/**', '.github/**'],
  outDir: join(root, 'target/site', version),
  cacheDir: join(root, 'target/site-cache'),
  base,
  rewrites: renamed,
  cleanUrls: false,
  lastUpdated: false,
  // The rest must be there: a page that links to none fails the build.
  ignoreDeadLinks: 'localhostLinks',
  // The pages are beside this folder, which has the packages.
  vite: {
    resolve: {
      alias: [
        { find: 'vue/server-renderer', replacement: packageFile('vue/server-renderer') },
        { find: /^vue$/, replacement: packageFile('vue').replace('index.js', 'dist/vue.runtime.esm-bundler.js') },
      ],
    },
  },
  markdown: {
    // Anchors as GitHub makes them, because the pages are read there, too.
    anchor: {
      slugify: (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '').replaceAll(' ', '-'),
    },
    config(markdown) {
      dotImages(markdown)
      linkFiles(markdown)
    },
  },
  themeConfig: {
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Javadoc', link: `${base}javadoc/index.html`, target: '_self' },
      { text: '中文', link: '/docs/zh-CN/' },
      { text: version, link: page('CHANGELOG.md') },
    ],
    sidebar: {
      '/docs/zh-CN/': sidebar('docs/zh-CN/README.md'),
      '/': sidebar('docs/README.md'),
    },
    outline: [2, 3],
    search: { provider: 'local' },
  },
  buildEnd({ outDir }) {
    for (const path of files) {
      cpSync(join(root, path), join(outDir, path))
    }
    writeFileSync(join(outDir, '../index.html'), `<meta http-equiv="refresh" content="0; url=${version}/">\n`)
  },
})

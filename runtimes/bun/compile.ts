/** Makes the self-contained executable. Runs under Bun: `bun runtimes/bun/compile.ts <target file>`. */
import { fileURLToPath } from 'node:url'

interface Loader {
  onLoad(
    filter: { readonly filter: RegExp },
    load: (module: { readonly path: string }) => Promise<{ contents: string; loader: 'js' }>,
  ): void
}

declare const Bun: {
  build(options: object): Promise<unknown>
  file(path: string): { text(): Promise<string> }
}

const [, , target = 'apiserver'] = process.argv
const platform = `${process.platform}-${process.arch}`
const report = process as unknown as { readonly report?: { getReport(): { header: { glibcVersionRuntime?: string } } } }
const libc =
  process.platform === 'linux' && report.report?.getReport().header.glibcVersionRuntime === undefined
    ? '.musl'
    : process.platform === 'linux'
      ? '.glibc'
      : ''

/** The store's engine looks for its native half among the files of its package; here it is embedded. */
const embedNative = {
  name: 'embed-native',
  setup(build: Loader) {
    build.onLoad({ filter: /lmdb[/\\]native\.js$/ }, async ({ path }) => {
      const native = fileURLToPath(import.meta.resolve(`@lmdb/lmdb-${platform}/node.napi${libc}.node`))
      const source = await Bun.file(path).text()
      const lookUp = /^import loadNAPI .*$/m
      if (!lookUp.test(source) || !source.includes('loadNAPI(dirName)')) throw new Error(`${path} is not as expected`)
      return { contents: source.replace(lookUp, '').replace('loadNAPI(dirName)', `require(${JSON.stringify(native)})`), loader: 'js' }
    })
    // An optional accelerator of an encoding that the store does not use.
    build.onLoad({ filter: /msgpackr-extract[/\\]index\.js$/ }, async () => ({ contents: 'module.exports = {}', loader: 'js' }))
  },
}

await Bun.build({
  entrypoints: [fileURLToPath(new URL('bin.ts', import.meta.url))],
  compile: { outfile: target, autoloadDotenv: false, autoloadBunfig: false },
  bytecode: true,
  format: 'esm',
  minify: { whitespace: true, syntax: true, identifiers: false, keepNames: true },
  plugins: [embedNative],
})

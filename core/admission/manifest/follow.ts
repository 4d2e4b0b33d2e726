import { oneAtATime } from '../../config/follow-file.ts'
import { messageOf } from '../../schema/message-of.ts'
import type { PluginContext } from '../context.ts'
import type { ManifestPlugin } from './kinds.ts'
import type { ManifestFolder, Manifests } from './load.ts'

/**
 * Hands over the objects of a folder, at once and whenever its files change. What can't be loaded is logged and counted, and the last valid
 * objects stay in use. The returned function ends it.
 */
export function followManifests(
  plugin: ManifestPlugin,
  folder: ManifestFolder | undefined,
  { files, logger, manifests }: Pick<PluginContext, 'files' | 'logger' | 'manifests'>,
  use: (objects: Manifests['objects']) => void,
): () => void {
  if (folder === undefined) return () => {}
  const { directory, initial } = folder
  const watches = new Map<string, () => void>()
  let closed = false
  let known = initial.hash
  const reports = manifests?.(plugin)

  async function reload(): Promise<void> {
    try {
      const loaded = await folder!.load()
      if (closed) return
      watch(loaded)
      if (loaded.hash === known) return
      known = loaded.hash
      use(loaded.objects)
      reports?.reloaded(loaded.hash)
      logger.info({ plugin, directory }, 'admission manifests reloaded')
    } catch (error) {
      if (closed) return
      reports?.reloaded(undefined)
      logger.error({ plugin, directory, error: messageOf(error) }, 'reload of admission manifests failed; the last valid ones stay in use')
    }
  }

  const queue = oneAtATime(reload)
  const changed = () => {
    if (!closed) queue()
  }

  /** A folder changes with the names of its files, a file with its content. */
  function watch({ files: paths }: Pick<Manifests, 'files'>): void {
    const wanted = new Set([directory, ...paths])
    for (const [path, end] of watches) {
      if (wanted.has(path)) continue
      end()
      watches.delete(path)
    }
    for (const path of wanted) if (!watches.has(path)) watches.set(path, files.watch(path, changed))
  }

  use(initial.objects)
  reports?.reloaded(initial.hash)
  watch(initial)
  return () => {
    closed = true
    for (const end of watches.values()) end()
  }
}

/** Certificates and keys from files that may change. */
import type { MaybePromise } from '../../common/maybe-promise.ts'
import { followFile, readFileText } from '../../config/follow-file.ts'
import type { Files, Logger, OutboundOptions } from '../../ports.ts'
import { pemBlocks } from '../../schema/formats/pem.ts'

/** A client certificate and its key: the PEM, or the files that have it. */
export interface ClientCertificate {
  readonly certificate?: string
  readonly key?: string
}

/** What the files of a client certificate contain. */
export const clientCertificateContents = { certificate: 'CERTIFICATE', key: 'PRIVATE KEY' } as const

/** Options of calls with a client certificate: none without its key. */
export const withClientCertificate = ({
  certificate,
  key,
}: {
  readonly [part in keyof ClientCertificate]?: string | undefined
}): Pick<OutboundOptions, 'clientCertificate'> =>
  certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }

export interface PemFiles<Name extends string> {
  /** Current contents; absent: no such file is given. */
  readonly texts: { readonly [name in Name]?: string }
  close(): void
}

export interface FollowPemFiles<Name extends string> {
  readonly paths: { readonly [name in Name]?: string }
  /** What each file must contain: the end of a PEM label. */
  readonly contents: { readonly [name in Name]: string }
  /** Name in the log. */
  readonly what: string
  readonly files: Files
  readonly logger: Logger
}

/** Reads the files, again when they change. Rejects with an Error that names the file when it can't be read or has no such content. */
export function followPemFiles<Name extends string>(given: FollowPemFiles<Name>): MaybePromise<PemFiles<Name>> {
  const names = (Object.keys(given.contents) as Name[]).filter((name) => given.paths[name] !== undefined)
  return names.length === 0 ? { texts: {}, close() {} } : followNamed(names, given)
}

async function followNamed<Name extends string>(names: readonly Name[], given: FollowPemFiles<Name>): Promise<PemFiles<Name>> {
  const { paths, contents, what, files, logger } = given
  const texts: { [name in Name]?: string } = {}
  const stops: (() => void)[] = []
  for (const name of names) {
    const path = paths[name] as string
    const load = (text: string) => {
      if (!pemBlocks(text).some(({ label }) => label.endsWith(contents[name]))) throw new Error(`${path}: no PEM block ${contents[name]}`)
      return text
    }
    const use = (text: string) => {
      texts[name] = text
    }
    const text = await readFileText(files, path)
    use(load(text))
    stops.push(followFile({ files, logger, path, what, text, load, use }))
  }
  return { texts, close: () => stops.forEach((stop) => void stop()) }
}

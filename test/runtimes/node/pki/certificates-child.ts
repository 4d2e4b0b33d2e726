/** Prepares the certificates of each directory that a line of its input names, and prints the serial number of the serving certificate, or the error. */
import { X509Certificate } from 'node:crypto'
import { createInterface } from 'node:readline'
import { parseFlags } from '../../../../core/flags/parse.ts'
import { claimCertificates, preparePki } from '../../../../runtimes/node/pki/certificates.ts'
import { certificateOptions } from '../../../../runtimes/node/start/certificate-options.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
say('ready')
for await (const directory of createInterface(process.stdin)) {
  const options = certificateOptions(parseFlags(['--data-dir=:memory:', `--cert-dir=${directory}`], 'apiserver'))
  try {
    const claim = await claimCertificates(options)
    const { serving } = await preparePki(options, claim)
    say(new X509Certificate(serving.certPem).serialNumber)
    await claim.release()
  } catch (error) {
    say((error as Error).message)
  }
}

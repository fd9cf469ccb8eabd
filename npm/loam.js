#!/usr/bin/env node
// Runs the program of this platform, which npm installed as an optional dependency: nothing is downloaded here.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const path = require('node:path');

const { name, optionalDependencies } = require('./package.json');
const wanted = `${name}-${process.platform}-${process.arch}`;

function program() {
  try {
    return path.join(path.dirname(require.resolve(`${wanted}/package.json`)), 'bin', process.platform === 'win32' ? 'loam.exe' : 'loam');
  } catch {
    const known = Object.keys(optionalDependencies);
    console.error(known.includes(wanted)
      ? `error: the package ${wanted} is not installed\n  install ${name} again, without --omit=optional`
      : `error: there is no ${name} for ${process.platform} on ${process.arch}, only: ${known.map((k) => k.slice(name.length + 1)).join(', ')}`);
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal)); // the child decides how it ends
}
child.on('error', (err) => {
  console.error(`error: ${err.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));

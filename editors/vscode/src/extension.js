// Starts gpuvm-lsp-server for programs of gpuvm.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("gpuvm");
  const command = settings.get("serverPath");
  if (!command) return;
  client = new LanguageClient("gpuvm", "gpuvm", { command, args: settings.get("serverArguments") },
    { documentSelector: [{ language: "gpuvm" }] });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(`gpuvm: The language server "${command}" does not start (${error.message}): set gpuvm.serverPath.`);
  }
}

async function stop() {
  await client?.stop();
  client = undefined;
}

exports.activate = async (context) => {
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(async (change) => {
    if (!change.affectsConfiguration("gpuvm")) return;
    await stop();
    await start();
  }));
  await start();
};
exports.deactivate = stop;

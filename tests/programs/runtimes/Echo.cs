// Answers lines; with a word, copies a file as a move would, or takes more than it may.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;

class Echo {
    static void Main(string[] words) {
        if (words.Length == 0) {
            string line;
            while ((line = Console.ReadLine()) != null) Console.WriteLine("ok " + line);
        } else if (words[0] == "copy") {
            File.WriteAllText(words[2], "ok " + File.ReadAllText(words[1]));
        } else if (words[0] == "loop") {
            while (true) { }
        } else if (words[0] == "memory") {
            var kept = new List<byte[]>();
            while (true) {
                var block = new byte[1 << 20];
                for (int i = 0; i < block.Length; i += 4096) block[i] = 1;
                kept.Add(block);
            }
        } else if (words[0] == "threads") {
            while (true) new Thread(() => Thread.Sleep(60000)) { IsBackground = true }.Start();
        }
    }
}

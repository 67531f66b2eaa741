using System;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

/// <summary>A main program for Roslyn's libraries, in place of the SDK's csc: it knows the options that builds here use.</summary>
static class Csc
{
    static int Main(string[] arguments)
    {
        var parsed = CSharpCommandLineParser.Default.Parse(arguments, Directory.GetCurrentDirectory(), null);
        if (parsed.DisplayVersion)
        {
            Console.WriteLine(typeof(CSharpCompilation).Assembly.GetName().Version);
            return 0;
        }
        var trees = parsed.SourceFiles.Select(file => Parsed(file.Path, parsed)).ToList();
        var references = parsed.MetadataReferences.Select(each => MetadataReference.CreateFromFile(each.Reference));
        var resolver = new SourceFileResolver(ImmutableArray<string>.Empty, parsed.BaseDirectory, parsed.PathMap);
        var options = parsed.CompilationOptions.WithSourceReferenceResolver(resolver);
        var name = Path.GetFileNameWithoutExtension(parsed.OutputFileName);
        var compilation = CSharpCompilation.Create(name, trees, references, options);
        var product = new MemoryStream();
        var done = compilation.Emit(product, options: parsed.EmitOptions);
        var said = parsed.Errors.Concat(done.Diagnostics).Where(each => each.Severity == DiagnosticSeverity.Error);
        // Files are compiled side by side.
        foreach (var each in said.OrderBy(each => each.Location.GetLineSpan().Path, StringComparer.Ordinal).ThenBy(each => each.Location.SourceSpan.Start))
        {
            Console.WriteLine(CSharpDiagnosticFormatter.Instance.Format(each));
        }
        if (!done.Success)
        {
            return 1;
        }
        File.WriteAllBytes(Path.Combine(parsed.OutputDirectory, parsed.OutputFileName), product.ToArray());
        return 0;
    }

    static SyntaxTree Parsed(string path, CSharpCommandLineArguments arguments)
    {
        using (var file = File.OpenRead(path))
        {
            return CSharpSyntaxTree.ParseText(SourceText.From(file), arguments.ParseOptions, path);
        }
    }
}
